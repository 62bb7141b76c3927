// How near is the simulated device to a real one? Many small CUDA programs, each with a name and a time, the same on
// both devices. `./course experiment fidelity` compares; src/fidelity/measured holds what a GPU said.
//
// Constants of the simulated device are fitted to one half of the cases and judged on the other. A case belongs to a
// group and has a place on each of the group's axes (size, number of streams, ...): where the places add up to an even
// number it is for the fit, else for the judgement, so that neighbours on every axis are in different halves.
//
// A time is the host's, from before the first call until cudaDeviceSynchronize() has returned, by std::chrono; the
// device is idle before. Nine repetitions and more on a GPU; one on the simulated device, where all are equal.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/hooks.h"
#include "lab/lab.h"

namespace {

using lab::Element;
using Bytes = std::size_t;

constexpr Bytes kib = 1024;
constexpr Bytes mib = 1024 * kib;
constexpr Bytes buffer_bytes = 256 * mib;
constexpr unsigned threads_per_block = 256;
constexpr std::size_t streams_made = 32;
constexpr std::size_t events_made = 256;
// On an H200 a kernel of one round takes 1/900 of the time in which the same bytes cross PCIe 5.
constexpr double rounds_as_long_as_copy = 900;
// A kernel of this many threads just fills an H200; in larger chunks a thread does several elements' worth of rounds.
constexpr std::size_t most_threads = std::size_t{1} << 18;

__global__ void empty() {}

__global__ void work(const Element* input, Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

__global__ void pass_on(const uint4* input, uint4* output, std::size_t count) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) {
        output[i] = input[i];
    }
}

void check(cudaError_t error, const char* call) {
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string("expected ") + call + " to succeed, found " + cudaGetErrorString(error));
    }
}
#define CHECK(call) check((call), #call)

// Memory, streams and events that all cases share; the end of the program gives them back.
struct Bench {
    char *pinned_up = nullptr, *pinned_down = nullptr, *device_up = nullptr, *device_down = nullptr;
    std::vector<char> pageable_up = std::vector<char>(buffer_bytes, 1);
    std::vector<char> pageable_down = std::vector<char>(buffer_bytes, 2);
    std::vector<cudaStream_t> streams, blocking_streams;
    std::vector<cudaEvent_t> events;

    Bench() {
        CHECK(cudaMallocHost(&pinned_up, buffer_bytes));
        CHECK(cudaMallocHost(&pinned_down, buffer_bytes));
        CHECK(cudaMalloc(&device_up, buffer_bytes));
        CHECK(cudaMalloc(&device_down, buffer_bytes));
        std::fill_n(pinned_up, buffer_bytes, 3);
        std::fill_n(pinned_down, buffer_bytes, 4);
        CHECK(cudaMemset(device_up, 5, buffer_bytes));
        CHECK(cudaMemset(device_down, 6, buffer_bytes));
        for (std::size_t i = 0; i < streams_made; ++i) {
            CHECK(cudaStreamCreateWithFlags(&streams.emplace_back(), cudaStreamNonBlocking));
            CHECK(cudaStreamCreate(&blocking_streams.emplace_back()));
        }
        for (std::size_t i = 0; i < events_made; ++i) {
            CHECK(cudaEventCreateWithFlags(&events.emplace_back(), cudaEventDisableTiming));
        }
        CHECK(cudaDeviceSynchronize());
    }

    void up(Bytes offset, Bytes bytes, cudaStream_t stream) {
        CHECK(cudaMemcpyAsync(device_up + offset, pinned_up + offset, bytes, cudaMemcpyHostToDevice, stream));
    }
    void down(Bytes offset, Bytes bytes, cudaStream_t stream) {
        CHECK(cudaMemcpyAsync(pinned_down + offset, device_down + offset, bytes, cudaMemcpyDeviceToHost, stream));
    }
    // A kernel on the bytes of a chunk that takes `ratio` times as long as their copy.
    void chunk_kernel(Bytes offset, Bytes bytes, double ratio, cudaStream_t stream) {
        const std::size_t elements = bytes / sizeof(Element);
        const std::size_t times = std::max<std::size_t>(1, elements / most_threads);
        launch(offset, elements / times, static_cast<unsigned>(ratio * rounds_as_long_as_copy) * times, stream);
    }
    void launch(Bytes offset, std::size_t elements, unsigned rounds, cudaStream_t stream) {
        work<<<static_cast<unsigned>((elements + threads_per_block - 1) / threads_per_block), threads_per_block, 0,
               stream>>>(reinterpret_cast<const Element*>(device_up + offset),
                         reinterpret_cast<Element*>(device_down + offset), elements, rounds);
        CHECK(cudaGetLastError());
    }
    // `blocks` full blocks that run `rounds` rounds; the n-th such kernel has memory of its own.
    void blocks_kernel(unsigned n, unsigned blocks, unsigned rounds, cudaStream_t stream) {
        const std::size_t elements = std::size_t{blocks} * threads_per_block;
        const Bytes offset = n * elements * sizeof(Element) % buffer_bytes;
        launch(offset, elements, rounds, stream);
    }
    void empty_kernel(cudaStream_t stream) {
        empty<<<1, 1, 0, stream>>>();
        CHECK(cudaGetLastError());
    }
    void let_wait(cudaStream_t waiting, cudaStream_t awaited, std::size_t event) {
        CHECK(cudaEventRecord(events[event % events_made], awaited));
        CHECK(cudaStreamWaitEvent(waiting, events[event % events_made], 0));
    }
};

void nothing() {}

struct Case {
    std::string group;
    std::string name;
    bool fit = false;
    std::function<void()> body;
    std::function<void()> before = nothing;  // not timed
    std::function<void()> after = nothing;   // not timed
};

struct Time {
    double median_ns = 0, least_ns = 0, most_ns = 0;
};

// A place on an axis of a group, with its value.
template <typename Value>
struct Place {
    Value value;
    std::size_t index;
};

template <typename Value>
std::vector<Place<Value>> places(const std::vector<Value>& values) {
    std::vector<Place<Value>> result;
    for (const Value& value : values) {
        result.push_back({value, result.size()});
    }
    return result;
}

std::vector<Place<Bytes>> sizes(Bytes from, Bytes to, unsigned factor = 2) {
    std::vector<Bytes> values;
    for (Bytes bytes = from; bytes <= to; bytes *= factor) {
        values.push_back(bytes);
    }
    return places(values);
}

std::string size_text(Bytes bytes) {
    return bytes >= mib ? std::to_string(bytes / mib) + "MiB" : std::to_string(bytes / kib) + "KiB";
}

template <typename Value>
std::string number_text(Value value) {
    if constexpr (std::is_floating_point_v<Value>) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", value);
        return text;
    } else {
        return std::to_string(value);
    }
}

class Cases {
public:
    explicit Cases(Bench& bench) : bench_(bench) {
        add_copies();
        add_rows_of_copies();
        add_both_directions();
        add_device_memory();
        add_sweep();
        add_pageable_sweep();
        add_roles();
        add_steps();
        add_default_stream();
        add_call_loops();
        add_kernels();
        add_concurrent_kernels();
        add_allocations();
        add_host_functions();
        add_graphs();
    }
    ~Cases() {
        for (const cudaGraphExec_t graph : graphs_) {
            (void)cudaGraphExecDestroy(graph);
        }
    }
    Cases(const Cases&) = delete;
    Cases& operator=(const Cases&) = delete;

    const std::vector<Case>& all() const { return cases_; }

private:
    using Body = std::function<void()>;

    void add(std::string group, std::string name, std::size_t places, Body body, Body before = nothing,
             Body after = nothing) {
        cases_.push_back({std::move(group), std::move(name), places % 2 == 0, std::move(body), std::move(before),
                          std::move(after)});
    }

    void add_copies() {
        for (const auto [bytes, i] : sizes(4 * kib, buffer_bytes)) {
            const Bytes n = bytes;
            const std::string size = size_text(n);
            const cudaStream_t stream = bench_.streams[0];
            const auto both = [&, i = i](const std::string& memory, char* up, char* down) {
                add("copy", memory + "_h2d_async/" + size, i, [=, this] {
                    CHECK(cudaMemcpyAsync(bench_.device_up, up, n, cudaMemcpyHostToDevice, stream));
                });
                add("copy", memory + "_d2h_async/" + size, i + 1, [=, this] {
                    CHECK(cudaMemcpyAsync(down, bench_.device_down, n, cudaMemcpyDeviceToHost, stream));
                });
                add("copy", memory + "_h2d_sync/" + size, i + 1,
                    [=, this] { CHECK(cudaMemcpy(bench_.device_up, up, n, cudaMemcpyHostToDevice)); });
                add("copy", memory + "_d2h_sync/" + size, i,
                    [=, this] { CHECK(cudaMemcpy(down, bench_.device_down, n, cudaMemcpyDeviceToHost)); });
            };
            both("pinned", bench_.pinned_up, bench_.pinned_down);
            both("pageable", bench_.pageable_up.data(), bench_.pageable_down.data());
        }
    }

    void add_rows_of_copies() {
        constexpr std::size_t copies = 16;
        for (const auto [bytes, i] : sizes(16 * kib, 16 * mib)) {
            for (const auto [streams, j] : places<std::size_t>({1, 2, 4})) {
                const Bytes n = bytes;
                const std::size_t of = streams;
                const std::string name = "/" + size_text(n) + "/streams=" + number_text(of);
                add("copies in a row", "h2d" + name, i + j, [=, this] {
                    for (std::size_t k = 0; k < copies; ++k) {
                        bench_.up(k * n, n, bench_.streams[k % of]);
                    }
                });
                add("copies in a row", "d2h" + name, i + j + 1, [=, this] {
                    for (std::size_t k = 0; k < copies; ++k) {
                        bench_.down(k * n, n, bench_.streams[k % of]);
                    }
                });
            }
        }
    }

    void add_both_directions() {
        for (const auto [copies, j] : places<std::size_t>({1, 4, 16})) {
            for (const auto [bytes, i] : sizes(64 * kib, buffer_bytes / copies)) {
                const Bytes n = bytes;
                const std::size_t rows = copies;
                const std::string name = size_text(n) + "/copies=" + number_text(rows);
                add("both directions", "at_once/" + name, i + j, [=, this] {
                    for (std::size_t k = 0; k < rows; ++k) {
                        bench_.up(k * n, n, bench_.streams[0]);
                        bench_.down(k * n, n, bench_.streams[1]);
                    }
                });
                add("both directions", "one_stream/" + name, i + j + 1, [=, this] {
                    for (std::size_t k = 0; k < rows; ++k) {
                        bench_.up(k * n, n, bench_.streams[0]);
                        bench_.down(k * n, n, bench_.streams[0]);
                    }
                });
            }
        }
    }

    void add_device_memory() {
        for (const auto [times, j] : places<int>({1, 16})) {
            for (const auto [bytes, i] : sizes(256 * kib, buffer_bytes, 4)) {
                const Bytes n = bytes;
                const int repeats = times;
                const std::string name = size_text(n) + "/times=" + number_text(repeats);
                add("device memory", "d2d/" + name, i + j, [=, this] {
                    for (int k = 0; k < repeats; ++k) {
                        CHECK(cudaMemcpyAsync(bench_.device_down, bench_.device_up, n, cudaMemcpyDeviceToDevice,
                                              bench_.streams[0]));
                    }
                });
                add("device memory", "memset/" + name, i + j + 1, [=, this] {
                    for (int k = 0; k < repeats; ++k) {
                        CHECK(cudaMemsetAsync(bench_.device_up, k, n, bench_.streams[0]));
                    }
                });
            }
        }
    }

    // One chunk after the other, or one stage after the other for all chunks.
    void add_sweep() {
        std::size_t combination = 0;
        for (const auto [total, i] : places<Bytes>({4 * mib, 16 * mib, 64 * mib})) {
            for (const auto [ratio, j] : places<double>({0.25, 1, 4})) {
                for (const auto [chunks, k] : places<std::size_t>({1, 2, 4, 8, 16, 32, 64})) {
                    for (const auto [streams, l] : places<std::size_t>({1, 2, 3, 4, 8})) {
                        const std::size_t place = i + j + k + l;
                        const std::string name = size_text(total) + "/kernel=" + number_text(ratio) +
                                                 "/chunks=" + number_text(chunks) + "/streams=" + number_text(streams);
                        const Bytes bytes = total / chunks;
                        const double kernel = ratio;
                        const std::size_t parts = chunks, of = streams;
                        if (combination % 3 == 0) {
                            add("streams and chunks", "depth/" + name, place,
                                [=, this] { depth_first(bytes, parts, of, kernel); });
                        } else if (combination % 3 == 1) {
                            add("streams and chunks", "breadth/" + name, place,
                                [=, this] { breadth_first(bytes, parts, of, kernel); });
                        }
                        ++combination;
                    }
                }
            }
        }
    }

    void depth_first(Bytes bytes, std::size_t chunks, std::size_t streams, double kernel) {
        for (std::size_t i = 0; i < chunks; ++i) {
            const cudaStream_t stream = bench_.streams[i % streams];
            bench_.up(i * bytes, bytes, stream);
            bench_.chunk_kernel(i * bytes, bytes, kernel, stream);
            bench_.down(i * bytes, bytes, stream);
        }
    }

    void breadth_first(Bytes bytes, std::size_t chunks, std::size_t streams, double kernel) {
        for (std::size_t i = 0; i < chunks; ++i) {
            bench_.up(i * bytes, bytes, bench_.streams[i % streams]);
        }
        for (std::size_t i = 0; i < chunks; ++i) {
            bench_.chunk_kernel(i * bytes, bytes, kernel, bench_.streams[i % streams]);
        }
        for (std::size_t i = 0; i < chunks; ++i) {
            bench_.down(i * bytes, bytes, bench_.streams[i % streams]);
        }
    }

    // The same chunks, from and to pageable memory.
    void add_pageable_sweep() {
        for (const auto [total, i] : places<Bytes>({4 * mib, 16 * mib, 64 * mib})) {
            for (const auto [chunks, j] : places<std::size_t>({1, 4, 16})) {
                for (const auto [streams, k] : places<std::size_t>({1, 4})) {
                    const Bytes bytes = total / chunks;
                    const std::size_t parts = chunks, of = streams;
                    add("pageable pipeline",
                        size_text(total) + "/chunks=" + number_text(parts) + "/streams=" + number_text(of), i + j + k,
                        [=, this] {
                            for (std::size_t c = 0; c < parts; ++c) {
                                const cudaStream_t stream = bench_.streams[c % of];
                                const Bytes offset = c * bytes;
                                CHECK(cudaMemcpyAsync(bench_.device_up + offset, bench_.pageable_up.data() + offset,
                                                      bytes, cudaMemcpyHostToDevice, stream));
                                bench_.chunk_kernel(offset, bytes, 1, stream);
                                CHECK(cudaMemcpyAsync(bench_.pageable_down.data() + offset,
                                                      bench_.device_down + offset, bytes, cudaMemcpyDeviceToHost,
                                                      stream));
                            }
                        });
                }
            }
        }
    }

    // One stream for each stage, events between them, and a few slots that are used again.
    void add_roles() {
        for (const auto [total, i] : places<Bytes>({4 * mib, 16 * mib, 64 * mib})) {
            for (const auto [chunks, j] : places<std::size_t>({4, 8, 16, 32, 64})) {
                for (const auto [slots, k] : places<std::size_t>({2, 3})) {
                    const Bytes bytes = total / chunks;
                    const std::size_t parts = chunks, of = slots;
                    add("role streams",
                        size_text(total) + "/chunks=" + number_text(parts) + "/slots=" + number_text(of), i + j + k,
                        [=, this] { role_streams(bytes, parts, of); });
                }
            }
        }
    }

    void role_streams(Bytes bytes, std::size_t chunks, std::size_t slots) {
        const cudaStream_t in = bench_.streams[0], compute = bench_.streams[1], out = bench_.streams[2];
        const auto event = [&](std::size_t stage, std::size_t slot) { return bench_.events[stage * slots + slot]; };
        for (std::size_t i = 0; i < chunks; ++i) {
            const std::size_t slot = i % slots;
            if (i >= slots) {
                CHECK(cudaStreamWaitEvent(in, event(1, slot), 0));  // the slot's input was read
            }
            CHECK(cudaMemcpyAsync(bench_.device_up + slot * bytes, bench_.pinned_up + i * bytes, bytes,
                                  cudaMemcpyHostToDevice, in));
            CHECK(cudaEventRecord(event(0, slot), in));
            CHECK(cudaStreamWaitEvent(compute, event(0, slot), 0));
            if (i >= slots) {
                CHECK(cudaStreamWaitEvent(compute, event(2, slot), 0));  // the slot's output was copied out
            }
            bench_.chunk_kernel(slot * bytes, bytes, 1, compute);
            CHECK(cudaEventRecord(event(1, slot), compute));
            CHECK(cudaStreamWaitEvent(out, event(1, slot), 0));
            CHECK(cudaMemcpyAsync(bench_.pinned_down + i * bytes, bench_.device_down + slot * bytes, bytes,
                                  cudaMemcpyDeviceToHost, out));
            CHECK(cudaEventRecord(event(2, slot), out));
        }
    }

    // The host waits in every iteration.
    void add_steps() {
        for (const auto [total, i] : places<Bytes>({4 * mib, 16 * mib, 64 * mib})) {
            for (const auto [chunks, j] : places<std::size_t>({1, 2, 4, 8, 16, 32, 64})) {
                const Bytes bytes = total / chunks;
                const std::size_t parts = chunks;
                const std::string name = size_text(total) + "/chunks=" + number_text(parts);
                add("waits in the loop", "async_then_sync/" + name, i + j, [=, this] {
                    for (std::size_t c = 0; c < parts; ++c) {
                        depth_first_at(c * bytes, bytes);
                        CHECK(cudaStreamSynchronize(bench_.streams[0]));
                    }
                });
                add("waits in the loop", "all_synchronous/" + name, i + j + 1, [=, this] {
                    for (std::size_t c = 0; c < parts; ++c) {
                        CHECK(cudaMemcpy(bench_.device_up + c * bytes, bench_.pinned_up + c * bytes, bytes,
                                         cudaMemcpyHostToDevice));
                        bench_.chunk_kernel(c * bytes, bytes, 1, nullptr);
                        CHECK(cudaMemcpy(bench_.pinned_down + c * bytes, bench_.device_down + c * bytes, bytes,
                                         cudaMemcpyDeviceToHost));
                    }
                });
                if (parts <= 16) {
                    add("waits in the loop", "all_synchronous_pageable/" + name, i + j, [=, this] {
                        for (std::size_t c = 0; c < parts; ++c) {
                            CHECK(cudaMemcpy(bench_.device_up + c * bytes, bench_.pageable_up.data() + c * bytes,
                                             bytes, cudaMemcpyHostToDevice));
                            bench_.chunk_kernel(c * bytes, bytes, 1, nullptr);
                            CHECK(cudaMemcpy(bench_.pageable_down.data() + c * bytes, bench_.device_down + c * bytes,
                                             bytes, cudaMemcpyDeviceToHost));
                        }
                    });
                }
            }
        }
    }

    void depth_first_at(Bytes offset, Bytes bytes) {
        bench_.up(offset, bytes, bench_.streams[0]);
        bench_.chunk_kernel(offset, bytes, 1, bench_.streams[0]);
        bench_.down(offset, bytes, bench_.streams[0]);
    }

    // Kernels A, legacy, B, A, legacy, B ...: in blocking streams one after the other, else side by side.
    void add_default_stream() {
        constexpr unsigned few_blocks = 16;
        for (const auto [rounds, i] : places<unsigned>({8000, 16000, 32000, 64000, 128000})) {
            for (const auto [kernels, j] : places<unsigned>({3, 6, 12})) {
                const unsigned length = rounds, count = kernels;
                const std::string name = "/rounds=" + number_text(length) + "/kernels=" + number_text(count);
                const auto between = [=, this](const std::vector<cudaStream_t>& streams, const Body& legacy) {
                    for (unsigned k = 0; k < count; ++k) {
                        if (k % 3 == 1) {
                            legacy();
                        } else {
                            bench_.blocks_kernel(k, few_blocks, length, streams[k % 3]);
                        }
                    }
                };
                const Body kernel = [=, this] { bench_.blocks_kernel(63, few_blocks, length, nullptr); };
                const Body copy = [this] {
                    CHECK(cudaMemcpy(bench_.device_up + 128 * mib, bench_.pinned_up, mib, cudaMemcpyHostToDevice));
                };
                const Body set = [this] { CHECK(cudaMemsetAsync(bench_.device_up + 128 * mib, 0, mib, nullptr)); };
                add("default stream", "kernel_between_blocking" + name, i + j,
                    [=, this] { between(bench_.blocking_streams, kernel); });
                add("default stream", "kernel_between_non_blocking" + name, i + j + 1,
                    [=, this] { between(bench_.streams, kernel); });
                add("default stream", "copy_between_blocking" + name, i + j + 1,
                    [=, this] { between(bench_.blocking_streams, copy); });
                add("default stream", "copy_between_non_blocking" + name, i + j,
                    [=, this] { between(bench_.streams, copy); });
                add("default stream", "memset_between_blocking" + name, i + j,
                    [=, this] { between(bench_.blocking_streams, set); });
            }
        }
    }

    void add_loop(const std::string& what, const std::vector<unsigned>& counts,
                  const std::function<void(unsigned)>& call, std::size_t first_place) {
        for (const auto [count, i] : places<unsigned>(counts)) {
            const unsigned calls = count;
            add("call loops", what + "/" + number_text(calls), i + first_place, [=] {
                for (unsigned k = 0; k < calls; ++k) {
                    call(k);
                }
            });
        }
    }

    void add_call_loops() {
        const std::vector<unsigned> counts{16, 64, 128, 256, 512, 1024, 2048, 4096};
        const std::vector<unsigned> slow{16, 32, 64, 128, 256};
        Bench& b = bench_;
        const cudaStream_t one = b.streams[0];
        add_loop("launch", counts, [&b, one](unsigned) { b.empty_kernel(one); }, 0);
        add_loop("launch_4_streams", counts, [&b](unsigned k) { b.empty_kernel(b.streams[k % 4]); }, 1);
        add_loop("launch_legacy", counts, [&b](unsigned) { b.empty_kernel(nullptr); }, 1);
        add_loop("copy_4KiB_h2d", counts, [&b, one](unsigned k) { b.up(k * 4 * kib, 4 * kib, one); }, 0);
        add_loop("copy_4KiB_d2h", counts, [&b, one](unsigned k) { b.down(k * 4 * kib, 4 * kib, one); }, 1);
        add_loop("memset_4KiB", counts,
                 [&b, one](unsigned k) { CHECK(cudaMemsetAsync(b.device_up + k * 4 * kib, 1, 4 * kib, one)); }, 1);
        add_loop("d2d_4KiB", counts, [&b, one](unsigned k) {
            CHECK(cudaMemcpyAsync(b.device_down + k * 4 * kib, b.device_up + k * 4 * kib, 4 * kib,
                                  cudaMemcpyDeviceToDevice, one));
        }, 0);
        add_loop("record", counts,
                 [&b, one](unsigned k) { CHECK(cudaEventRecord(b.events[k % events_made], one)); }, 0);
        add_loop("record_and_wait", counts, [&b](unsigned k) { b.let_wait(b.streams[1], b.streams[0], k); }, 1);
        add_loop("kernel_record_wait_kernel", {16, 64, 128, 256, 512, 1024}, [&b](unsigned k) {
            b.empty_kernel(b.streams[0]);
            b.let_wait(b.streams[1], b.streams[0], k);
            b.empty_kernel(b.streams[1]);
        }, 0);
        add_loop("ping_pong", {16, 64, 128, 256, 512}, [&b](unsigned k) {
            b.empty_kernel(b.streams[k % 2]);
            b.let_wait(b.streams[(k + 1) % 2], b.streams[k % 2], k);
        }, 1);
        add_loop("launch_and_sync", slow, [&b, one](unsigned) {
            b.empty_kernel(one);
            CHECK(cudaStreamSynchronize(one));
        }, 0);
        add_loop("launch_and_device_sync", slow, [&b, one](unsigned) {
            b.empty_kernel(one);
            CHECK(cudaDeviceSynchronize());
        }, 1);
        add_loop("launch_record_event_sync", slow, [&b, one](unsigned k) {
            b.empty_kernel(one);
            CHECK(cudaEventRecord(b.events[k % events_made], one));
            CHECK(cudaEventSynchronize(b.events[k % events_made]));
        }, 0);
        add_loop("copy_and_sync_h2d", slow, [&b, one](unsigned) {
            b.up(0, 64 * kib, one);
            CHECK(cudaStreamSynchronize(one));
        }, 1);
        add_loop("copy_and_sync_d2h", slow, [&b, one](unsigned) {
            b.down(0, 64 * kib, one);
            CHECK(cudaStreamSynchronize(one));
        }, 0);
        add_synchronous_copy_loops(slow);
        add_loop("idle_sync", counts, [one](unsigned) { CHECK(cudaStreamSynchronize(one)); }, 1);
        add_loop("query", counts, [one](unsigned) { (void)cudaStreamQuery(one); }, 0);
        add_loop("copy_kernel_copy_small", {16, 64, 128, 256, 512}, [&b, one](unsigned k) {
            const Bytes offset = k * 4 * kib;
            b.up(offset, 4 * kib, one);
            b.launch(offset, kib, 1, one);
            b.down(offset, 4 * kib, one);
        }, 1);
    }

    void add_synchronous_copy_loops(const std::vector<unsigned>& counts) {
        Bench& b = bench_;
        for (const auto [bytes, i] : sizes(4 * kib, 256 * kib, 8)) {
            const Bytes n = bytes;
            const auto loop = [&, i = i](const std::string& memory, char* up, char* down) {
                add_loop(memory + "_cudaMemcpy_h2d_" + size_text(n), counts, [&b, n, up](unsigned) {
                    CHECK(cudaMemcpy(b.device_up, up, n, cudaMemcpyHostToDevice));
                }, i);
                add_loop(memory + "_cudaMemcpy_d2h_" + size_text(n), counts, [&b, n, down](unsigned) {
                    CHECK(cudaMemcpy(down, b.device_down, n, cudaMemcpyDeviceToHost));
                }, i + 1);
            };
            loop("pinned", b.pinned_up, b.pinned_down);
            loop("pageable", b.pageable_up.data(), b.pageable_down.data());
        }
    }

    void add_kernels() {
        for (const auto [blocks, i] : places<unsigned>({1, 16, 66, 132, 264, 528, 1056, 2112, 4224})) {
            for (const auto [rounds, j] : places<unsigned>({1000, 8000, 32000, 128000})) {
                const unsigned grid = blocks, length = rounds;
                add("kernels", "blocks=" + number_text(grid) + "/rounds=" + number_text(length), i + j,
                    [=, this] { bench_.blocks_kernel(0, grid, length, bench_.streams[0]); });
            }
        }
        for (const auto [bytes, i] : sizes(4 * mib, buffer_bytes)) {
            for (const auto [times, j] : places<int>({1, 8})) {
                const Bytes n = bytes;
                const int repeats = times;
                if (n * repeats <= 512 * mib) {
                    add("kernels", "device_memory/" + size_text(n) + "/times=" + number_text(repeats), i + j, [=, this] {
                        for (int k = 0; k < repeats; ++k) {
                            pass(bench_.device_up, bench_.device_down, n);
                        }
                    });
                }
            }
        }
        for (const auto [bytes, i] : sizes(mib, 64 * mib)) {
            const Bytes n = bytes;
            add("kernels", "reads_pinned/" + size_text(n), i, [=, this] { pass(bench_.pinned_up, bench_.device_down, n); });
            add("kernels", "writes_pinned/" + size_text(n), i + 1,
                [=, this] { pass(bench_.device_up, bench_.pinned_down, n); });
        }
    }

    void pass(const char* from, char* to, Bytes bytes) {
        const std::size_t count = bytes / sizeof(uint4);
        pass_on<<<static_cast<unsigned>((count + threads_per_block - 1) / threads_per_block), threads_per_block, 0,
                  bench_.streams[0]>>>(reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(to), count);
        CHECK(cudaGetLastError());
    }

    void add_concurrent_kernels() {
        constexpr unsigned kernels = 32;
        for (const auto [blocks, i] : places<unsigned>({1, 16, 66, 264, 528})) {
            for (const auto [streams, j] : places<unsigned>({1, 2, 4, 8, 16, 32})) {
                for (const auto [rounds, k] : places<unsigned>({4000, 32000})) {
                    const unsigned grid = blocks, of = streams, length = rounds;
                    add("concurrent kernels",
                        "blocks=" + number_text(grid) + "/rounds=" + number_text(length) +
                            "/streams=" + number_text(of),
                        i + j + k, [=, this] {
                            for (unsigned n = 0; n < kernels; ++n) {
                                bench_.blocks_kernel(n, grid, length, bench_.streams[n % of]);
                            }
                        });
                }
            }
        }
    }

    void add_allocations() {
        for (const auto [bytes, i] : sizes(64 * kib, 64 * mib, 4)) {
            for (const auto [count, j] : places<unsigned>({1, 4, 16})) {
                const Bytes n = bytes;
                const unsigned times = count;
                const std::string name = size_text(n) + "/times=" + number_text(times);
                const auto kept = std::make_shared<std::vector<void*>>(times);
                const Body get = [=] {
                    for (void*& memory : *kept) {
                        CHECK(cudaMalloc(&memory, n));
                    }
                };
                const Body give = [=] {
                    for (void* const memory : *kept) {
                        CHECK(cudaFree(memory));
                    }
                };
                add("allocations", "cudaMalloc/" + name, i + j, get, nothing, give);
                add("allocations", "cudaFree/" + name, i + j + 1, give, get);
                add("allocations", "cudaMalloc_cudaFree_loop/" + name, i + j, [=] {
                    for (unsigned k = 0; k < times; ++k) {
                        void* memory = nullptr;
                        CHECK(cudaMalloc(&memory, n));
                        CHECK(cudaFree(memory));
                    }
                });
            }
        }
        for (const auto [bytes, i] : sizes(64 * kib, buffer_bytes)) {
            const Bytes n = bytes;
            const auto kept = std::make_shared<void*>();
            const Body get = [=] { CHECK(cudaMallocHost(kept.get(), n)); };
            const Body give = [=] { CHECK(cudaFreeHost(*kept)); };
            const Body pin = [=, this] {
                CHECK(cudaHostRegister(bench_.pageable_up.data(), n, cudaHostRegisterDefault));
            };
            const Body unpin = [this] { CHECK(cudaHostUnregister(bench_.pageable_up.data())); };
            add("allocations", "cudaMallocHost/" + size_text(n), i, get, nothing, give);
            add("allocations", "cudaFreeHost/" + size_text(n), i + 1, give, get);
            add("allocations", "cudaHostRegister/" + size_text(n), i + 1, pin, nothing, unpin);
            add("allocations", "cudaHostUnregister/" + size_text(n), i, unpin, pin);
        }
        add_stream_ordered_allocations();
    }

    void add_stream_ordered_allocations() {
        Bench& b = bench_;
        add_loop("cudaMallocAsync_cudaFreeAsync", {16, 64, 256, 1024}, [&b](unsigned) {
            void* memory = nullptr;
            CHECK(cudaMallocAsync(&memory, mib, b.streams[0]));
            CHECK(cudaFreeAsync(memory, b.streams[0]));
        }, 0);
        add_loop("stream_create_destroy", {4, 16, 64}, [](unsigned) {
            cudaStream_t stream = nullptr;
            CHECK(cudaStreamCreate(&stream));
            CHECK(cudaStreamDestroy(stream));
        }, 1);
        add_loop("event_create_destroy", {64, 256, 1024}, [](unsigned) {
            cudaEvent_t event = nullptr;
            CHECK(cudaEventCreate(&event));
            CHECK(cudaEventDestroy(event));
        }, 0);
    }

    void add_host_functions() {
        Bench& b = bench_;
        const auto call = [](cudaStream_t stream) {
            CHECK(cudaLaunchHostFunc(stream, [](void*) {}, nullptr));
        };
        const std::vector<unsigned> counts{8, 16, 32, 64, 128, 256};
        add_loop("host_function", counts, [&b, call](unsigned) { call(b.streams[0]); }, 0);
        add_loop("host_function_4_streams", counts, [&b, call](unsigned k) { call(b.streams[k % 4]); }, 1);
        add_loop("kernel_and_host_function", counts, [&b, call](unsigned) {
            b.empty_kernel(b.streams[0]);
            call(b.streams[0]);
        }, 1);
    }

    cudaGraphExec_t graph_of(const Body& issue, cudaStream_t origin) {
        cudaGraph_t graph = nullptr;
        CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal));
        issue();
        CHECK(cudaStreamEndCapture(origin, &graph));
        cudaGraphExec_t executable = nullptr;
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        CHECK(cudaGraphDestroy(graph));
        graphs_.push_back(executable);
        return executable;
    }

    void add_graph(const std::string& name, std::size_t place, unsigned launches, const Body& issue) {
        const auto graph = std::make_shared<cudaGraphExec_t>();
        add("graphs", name + "/launches=" + number_text(launches), place,
            [=, this] {
                for (unsigned i = 0; i < launches; ++i) {
                    CHECK(cudaGraphLaunch(*graph, bench_.streams[0]));
                }
            },
            [=, this] {
                if (*graph == nullptr) {
                    *graph = graph_of(issue, bench_.streams[0]);
                }
            });
    }

    void add_graphs() {
        for (const auto [launches, j] : places<unsigned>({1, 4, 16})) {
            for (const auto [nodes, i] : places<unsigned>({4, 16, 64, 256})) {
                const unsigned count = nodes;
                add_graph("chain_of_kernels/nodes=" + number_text(count), i + j, launches, [=, this] {
                    for (unsigned k = 0; k < count; ++k) {
                        bench_.empty_kernel(bench_.streams[0]);
                    }
                });
            }
            for (const auto [bytes, i] : sizes(64 * kib, 4 * mib, 4)) {
                const Bytes n = bytes;
                add_graph("pipeline_8_chunks_4_branches/" + size_text(n), i + j + 1, launches,
                          [=, this] { forked_pipeline(n); });
            }
        }
    }

    void forked_pipeline(Bytes bytes) {
        constexpr std::size_t branches = 4, chunks = 8;
        for (std::size_t i = 1; i < branches; ++i) {
            bench_.let_wait(bench_.streams[i], bench_.streams[0], i);
        }
        depth_first(bytes, chunks, branches, 1);
        for (std::size_t i = 1; i < branches; ++i) {
            bench_.let_wait(bench_.streams[0], bench_.streams[i], branches + i);
        }
    }

    Bench& bench_;
    std::vector<Case> cases_;
    std::vector<cudaGraphExec_t> graphs_;
};

double once_ns(const Case& measured) {
    measured.before();
    CHECK(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    measured.body();
    CHECK(cudaDeviceSynchronize());
    const auto end = std::chrono::steady_clock::now();
    measured.after();
    return std::chrono::duration<double, std::nano>(end - start).count();
}

Time time_of(const Case& measured, unsigned repeats, unsigned warm_ups) {
    for (unsigned i = 0; i < warm_ups; ++i) {
        (void)once_ns(measured);
    }
    std::vector<double> times;
    for (unsigned i = 0; i < repeats; ++i) {
        times.push_back(once_ns(measured));
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.front(), times.back()};
}

// The simulated device is warm from the start, but for what the host's cache holds of pageable data.
unsigned warm_ups_of(const Case& measured, bool simulated) {
    const bool pageable =
        measured.group == "copy" || measured.group == "pageable pipeline" || measured.group == "waits in the loop";
    return !simulated ? 2 : pageable ? 1 : 0;
}

struct Options {
    bool simulated = device_hooks_simulated() != 0;
    std::string csv;
    std::string set = "all";
    std::vector<std::string> groups;
    unsigned repeats = 0;
    std::string date = "not given";
    std::string link = "not given";
};

bool is_wanted(const Case& candidate, const Options& options) {
    const bool set = options.set == "all" || (options.set == "fit") == candidate.fit;
    return set && (options.groups.empty() ||
                   std::find(options.groups.begin(), options.groups.end(), candidate.group) != options.groups.end());
}

std::string device_name() {
    cudaDeviceProp properties{};
    CHECK(cudaGetDeviceProperties(&properties, 0));
    return properties.name;  // a simulated device says so in its name
}

// A clock that idles is slow to wake: keep the device busy for a moment before anything is measured.
void wake(Bench& bench) {
    for (int i = 0; i < 50; ++i) {
        bench.blocks_kernel(0, 4224, 128000, bench.streams[0]);
        CHECK(cudaDeviceSynchronize());
    }
}

void run(const Options& options) {
    Bench bench;
    if (device_hooks_simulated() == 0) {
        wake(bench);
    }
    const Cases cases(bench);
    std::FILE* const file = options.csv.empty() ? stdout : std::fopen(options.csv.c_str(), "w");
    if (file == nullptr) {
        throw std::runtime_error("cannot write " + options.csv);
    }
    std::fprintf(file, "# device: %s\n# date: %s\n# link: %s\n# median, least and greatest of %u runs\n",
                 device_name().c_str(), options.date.c_str(), options.link.c_str(), options.repeats);
    std::fprintf(file, "group,case,set,time_ns,least_ns,greatest_ns\n");
    for (const Case& measured : cases.all()) {
        if (is_wanted(measured, options)) {
            const Time time = time_of(measured, options.repeats, warm_ups_of(measured, options.simulated));
            std::fprintf(file, "%s,%s,%s,%.0f,%.0f,%.0f\n", measured.group.c_str(), measured.name.c_str(),
                         measured.fit ? "fit" : "judge", time.median_ns, time.least_ns, time.most_ns);
            std::fflush(file);
        }
    }
    if (file != stdout && std::fclose(file) != 0) {
        throw std::runtime_error("cannot write " + options.csv);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    options.repeats = options.simulated ? 1 : 11;

    CLI::App app{"Times many small CUDA programs, to compare the simulated device with a real one."};
    app.add_option("--csv", options.csv, "write the times to this file, not to the terminal");
    app.add_option("--set", options.set, "the cases for the fit, those for the judgement, or all")
        ->check(CLI::IsMember({"fit", "judge", "all"}));
    app.add_option("--group", options.groups, "only this group; may be given several times");
    app.add_option("--repeats", options.repeats, "runs per case; the median counts")->check(CLI::Range(1, 101));
    app.add_option("--date", options.date, "the date to write into the file");
    app.add_option("--link", options.link, "the host link, driver and toolkit to write into the file");

    try {
        app.parse(argc, argv);
        run(options);
    } catch (const CLI::ParseError& usage) {
        return app.exit(usage) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fidelity: %s\n", error.what());
        return 2;
    }
    return 0;
}
