// How long one chunk takes in each stage on this device: for the trusted baseline programs, and for `course calibrate`.
// Plain CUDA API calls, the same on both devices. No launch is written here: the caller brings its kernel.
#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

#include "device/hooks.h"
#include "lab.h"

namespace lab::calibration {

// Launches the lab's kernel on `elements` elements in `stream`.
using Launch = cudaError_t (*)(const Element* input, Element* output, std::size_t elements, unsigned rounds,
                               cudaStream_t stream);

namespace details {

// Buffers, streams and events of a calibration; give_back() runs on every path.
struct Bench {
    Element* host_input = nullptr;
    Element* host_output = nullptr;
    Element* device_input = nullptr;
    Element* device_output = nullptr;
    cudaStream_t up = nullptr;
    cudaStream_t down = nullptr;
    cudaEvent_t up_begin = nullptr, up_end = nullptr, down_begin = nullptr, down_end = nullptr;
    std::size_t elements = 0;

    Bench() = default;
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    std::size_t bytes() const { return elements * sizeof(Element); }

    cudaError_t get(std::size_t chunk_elements) {
        elements = chunk_elements;
        LAB_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_input), bytes()));
        LAB_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_output), bytes()));
        LAB_TRY(cudaMalloc(reinterpret_cast<void**>(&device_input), bytes()));
        LAB_TRY(cudaMalloc(reinterpret_cast<void**>(&device_output), bytes()));
        LAB_TRY(cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking));
        LAB_TRY(cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking));
        for (cudaEvent_t* event : {&up_begin, &up_end, &down_begin, &down_end}) {
            LAB_TRY(cudaEventCreate(event));
        }
        // Never measure unwritten memory: its pages may not exist yet.
        std::fill_n(host_input, elements, Element{1});
        std::fill_n(host_output, elements, Element{2});
        LAB_TRY(cudaMemsetAsync(device_output, 0, bytes(), up));
        return cudaStreamSynchronize(up);
    }

    void give_back() {
        for (cudaEvent_t event : {up_begin, up_end, down_begin, down_end}) {
            if (event != nullptr) {
                (void)cudaEventDestroy(event);
            }
        }
        for (cudaStream_t stream : {up, down}) {
            if (stream != nullptr) {
                (void)cudaStreamDestroy(stream);
            }
        }
        (void)cudaFree(device_output);
        (void)cudaFree(device_input);
        (void)cudaFreeHost(host_output);
        (void)cudaFreeHost(host_input);
    }

    cudaError_t copy_up() { return cudaMemcpyAsync(device_input, host_input, bytes(), cudaMemcpyHostToDevice, up); }
    cudaError_t copy_down() {
        return cudaMemcpyAsync(host_output, device_output, bytes(), cudaMemcpyDeviceToHost, down);
    }
};

struct Giver {
    Bench& bench;
    ~Giver() { bench.give_back(); }
};

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

inline cudaError_t nanoseconds_between(cudaEvent_t begin, cudaEvent_t end, double& result) {
    float milliseconds = 0;
    LAB_TRY(cudaEventElapsedTime(&milliseconds, begin, end));
    result = static_cast<double>(milliseconds) * 1e6;
    return cudaSuccess;
}

inline int repetitions() {
    return device_hooks_simulated() ? 1 : 7;
}

// Time per copy when `copies` follow each other; up or down or both directions together.
struct CopyTimes {
    double up = 0;
    double down = 0;
};

inline cudaError_t time_copies(Bench& bench, bool use_up, bool use_down, CopyTimes& result) {
    constexpr int copies = 16;
    std::vector<double> ups, downs;
    for (int repetition = 0; repetition < repetitions(); ++repetition) {
        LAB_TRY(cudaEventRecord(bench.up_begin, bench.up));
        LAB_TRY(cudaEventRecord(bench.down_begin, bench.down));
        for (int i = 0; i < copies; ++i) {
            if (use_up) {
                LAB_TRY(bench.copy_up());
            }
            if (use_down) {
                LAB_TRY(bench.copy_down());
            }
        }
        LAB_TRY(cudaEventRecord(bench.up_end, bench.up));
        LAB_TRY(cudaEventRecord(bench.down_end, bench.down));
        LAB_TRY(cudaStreamSynchronize(bench.up));
        LAB_TRY(cudaStreamSynchronize(bench.down));
        double up = 0, down = 0;
        LAB_TRY(nanoseconds_between(bench.up_begin, bench.up_end, up));
        LAB_TRY(nanoseconds_between(bench.down_begin, bench.down_end, down));
        ups.push_back(up / copies);
        downs.push_back(down / copies);
    }
    result = {median(ups), median(downs)};
    return cudaSuccess;
}

// Host time of one synchronous copy between `to` and `from`.
inline cudaError_t time_synchronous(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, double& result) {
    std::vector<double> times;
    for (int repetition = 0; repetition <= repetitions(); ++repetition) {  // one more: the first touches new pages
        const std::uint64_t begin = device_hooks_clock_ns();
        LAB_TRY(cudaMemcpy(to, from, bytes, kind));
        times.push_back(static_cast<double>(device_hooks_clock_ns() - begin));
    }
    result = median({times.begin() + 1, times.end()});
    return cudaSuccess;
}

struct SynchronousTimes {
    double up = 0;    // from pageable memory
    double down = 0;  // to pageable memory
    double host = 0;  // from host memory to host memory
};

inline cudaError_t time_synchronous_copies(Bench& bench, SynchronousTimes& result) {
    std::vector<Element> pageable(bench.elements, Element{3});
    void* const ordinary = pageable.data();
    LAB_TRY(time_synchronous(bench.device_input, ordinary, bench.bytes(), cudaMemcpyHostToDevice, result.up));
    LAB_TRY(time_synchronous(ordinary, bench.device_output, bench.bytes(), cudaMemcpyDeviceToHost, result.down));
    return time_synchronous(bench.host_input, ordinary, bench.bytes(), cudaMemcpyHostToHost, result.host);
}

inline cudaError_t time_kernel(Bench& bench, Launch launch, unsigned rounds, double& result) {
    const int launches = device_hooks_simulated() ? 1 : 8;
    std::vector<double> times;
    for (int repetition = 0; repetition < repetitions(); ++repetition) {
        LAB_TRY(cudaEventRecord(bench.up_begin, bench.up));
        for (int i = 0; i < launches; ++i) {
            LAB_TRY(launch(bench.device_input, bench.device_output, bench.elements, rounds, bench.up));
        }
        LAB_TRY(cudaEventRecord(bench.up_end, bench.up));
        LAB_TRY(cudaStreamSynchronize(bench.up));
        double time = 0;
        LAB_TRY(nanoseconds_between(bench.up_begin, bench.up_end, time));
        times.push_back(time / launches);
    }
    result = median(times);
    return cudaSuccess;
}

// The number of rounds that makes a kernel take `target_ns`: kernel time is a straight line in the rounds.
inline cudaError_t rounds_for(Bench& bench, Launch launch, double target_ns, unsigned& rounds) {
    constexpr unsigned few = 64, many = 1024;
    double short_ns = 0, long_ns = 0;
    LAB_TRY(time_kernel(bench, launch, few, short_ns));
    LAB_TRY(time_kernel(bench, launch, many, long_ns));
    const double per_round = (long_ns - short_ns) / (many - few);
    const double wanted = per_round > 0 ? few + (target_ns - short_ns) / per_round : many;
    rounds = static_cast<unsigned>(std::clamp(wanted, 1.0, 1e6));
    return cudaSuccess;
}

inline cudaError_t describe_device(harness::Measurement& result) {
    cudaDeviceProp properties{};
    LAB_TRY(cudaGetDeviceProperties(&properties, 0));
    std::snprintf(result.device, sizeof result.device, "%s", properties.name);
    result.copy_engines = static_cast<unsigned>(properties.asyncEngineCount);
    return cudaSuccess;
}

}  // namespace details

// Measures the stages for chunks of `chunk_elements`; `rounds` 0 finds the number that makes k about as long as h
// alone.
inline cudaError_t measure(std::size_t chunk_elements, unsigned rounds, Launch launch, harness::Measurement& result) {
    using namespace details;
    if (chunk_elements == 0) {
        return cudaErrorInvalidValue;
    }
    Bench bench;
    const Giver giver{bench};
    LAB_TRY(describe_device(result));
    LAB_TRY(bench.get(chunk_elements));
    CopyTimes warm_up, up, down, both;
    LAB_TRY(time_copies(bench, true, true, warm_up));
    LAB_TRY(time_copies(bench, true, false, up));
    LAB_TRY(time_copies(bench, false, true, down));
    LAB_TRY(time_copies(bench, true, true, both));
    SynchronousTimes synchronous;
    LAB_TRY(time_synchronous_copies(bench, synchronous));
    if (rounds == 0) {
        LAB_TRY(rounds_for(bench, launch, up.up, rounds));
    }
    double kernel_ns = 0;
    LAB_TRY(time_kernel(bench, launch, rounds, kernel_ns));
    const auto whole = [](double ns) { return static_cast<unsigned long long>(ns + 0.5); };
    result.h2d_alone_ns = whole(up.up);
    result.d2h_alone_ns = whole(down.down);
    result.h2d_both_ns = whole(both.up);
    result.d2h_both_ns = whole(both.down);
    result.kernel_ns = whole(kernel_ns);
    result.h2d_pageable_ns = whole(synchronous.up);
    result.d2h_pageable_ns = whole(synchronous.down);
    result.host_copy_ns = whole(synchronous.host);
    result.rounds = rounds;
    return cudaSuccess;
}

}  // namespace lab::calibration
