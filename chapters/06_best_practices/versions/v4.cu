// Version 4: the run is compared with what the engines need at least.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "lab.h"  // for lab::work, which takes as long on every device as we ask

constexpr std::size_t elements = 4 << 20;
constexpr std::size_t bytes = elements * sizeof(unsigned);  // 16 MiB
constexpr unsigned rounds = 900;                            // the kernel takes about as long as a copy

__global__ void process(const unsigned* input, unsigned* output, std::size_t count, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        output[i] = lab::work(input[i], rounds);
    }
}

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        std::exit(1);
    }
}

double now_us() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since_start).count();
}

struct Job {
    unsigned *input = nullptr, *output = nullptr;  // pinned
    unsigned *device_input = nullptr, *device_output = nullptr;
    std::array<cudaStream_t, 4> streams{};
};

Job create() {
    Job job;
    check(cudaMallocHost(&job.input, bytes));
    check(cudaMallocHost(&job.output, bytes));
    std::fill(job.input, job.input + elements, 1u);
    check(cudaMalloc(&job.device_input, bytes));
    check(cudaMalloc(&job.device_output, bytes));
    for (cudaStream_t& stream : job.streams) {
        check(cudaStreamCreate(&stream));
    }
    return job;
}

void destroy(const Job& job) {
    for (const cudaStream_t stream : job.streams) {
        check(cudaStreamDestroy(stream));
    }
    check(cudaFree(job.device_output));
    check(cudaFree(job.device_input));
    check(cudaFreeHost(job.output));
    check(cudaFreeHost(job.input));
}

// [run]
// One run, from the first call to the last result: microseconds.
double run_us(const Job& job, std::size_t chunk, std::size_t stream_count) {
    const double begin = now_us();
    for (std::size_t first = 0, i = 0; first < elements; first += chunk, ++i) {
        const std::size_t count = std::min(chunk, elements - first);  // the last chunk may be shorter
        const cudaStream_t stream = job.streams[i % stream_count];
        check(cudaMemcpyAsync(job.device_input + first, job.input + first, count * sizeof(unsigned),
                              cudaMemcpyHostToDevice, stream));
        process<<<(count + 255) / 256, 256, 0, stream>>>(job.device_input + first, job.device_output + first, count,
                                                         rounds);
        check(cudaGetLastError());
        check(cudaMemcpyAsync(job.output + first, job.device_output + first, count * sizeof(unsigned),
                              cudaMemcpyDeviceToHost, stream));
    }
    check(cudaDeviceSynchronize());
    return now_us() - begin;
}
// [/run]

// [least]
// The copies of both directions at once, with nothing else under way: microseconds.
double copies_us(const Job& job) {
    const double begin = now_us();
    check(cudaMemcpyAsync(job.device_input, job.input, bytes, cudaMemcpyHostToDevice, job.streams[0]));
    check(cudaMemcpyAsync(job.output, job.device_output, bytes, cudaMemcpyDeviceToHost, job.streams[1]));
    check(cudaDeviceSynchronize());
    return now_us() - begin;
}

// The kernel on all of the data, alone: microseconds.
double kernel_us(const Job& job) {
    const double begin = now_us();
    process<<<elements / 256, 256, 0, job.streams[0]>>>(job.device_input, job.device_output, elements, rounds);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    return now_us() - begin;
}
// [/least]

int main() {
    const Job job = create();
    // [share]
    run_us(job, elements, 1);  // the first run of all is slower on many devices, and does not count
    const double us = run_us(job, 64 << 10, 4), copies = copies_us(job), kernel = kernel_us(job);
    const double least = std::max(copies, kernel);
    std::printf(
        "run %.0f us; copies alone %.0f us, kernel alone %.0f us: "
        "%.0f %% of what is possible\n",
        us, copies, kernel, 100 * least / us);
    // [/share]
    destroy(job);
}
