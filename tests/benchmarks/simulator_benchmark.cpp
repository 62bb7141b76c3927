// How fast the simulated device is. See the README beside this file for how to run it and for figures.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels.hpp"
#include "simulator/kernel_threads.hpp"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/simulated_device.hpp"

namespace benchmarks {
namespace {

using simulator::Access;
using simulator::Engine;
using simulator::MemoryKind;
using simulator::RecordingPaused;
using simulator::Resource;
using simulator::Rows;
using simulator::SimulatedDevice;
using simulator::Stream;
using simulator::TaskId;
using simulator::Time;

constexpr unsigned streams = 4;
constexpr unsigned chunks = 64;
constexpr unsigned chunk_threads = 16;
constexpr std::size_t chunk_bytes = chunk_threads * sizeof(float);
constexpr unsigned operations_per_chunk = 5;  // copy, kernel, copy, record, wait
constexpr Time cost_of_a_call(2000);

const device::Profile& profile() {
    static const device::Profile loaded = device::load_profile(PROFILE_FILE);
    return loaded;
}

float* allocate(SimulatedDevice& device, MemoryKind kind, std::size_t bytes) {
    const RecordingPaused paused;  // a device that is made begins to record this thread
    void* pointer = nullptr;
    if (device.allocate(kind, &pointer, bytes, 0) != cudaSuccess) {
        throw std::runtime_error("expected memory of the simulated device, found none");
    }
    std::memset(pointer, 0, bytes);
    return static_cast<float*>(pointer);
}

// A pipeline over chunks in several streams, each chunk behind the one before it by an event.
class Pipeline {
public:
    Pipeline() : device_(profile()) {
        for (unsigned i = 0; i < streams; ++i) {
            streams_[i] = device_.stream(device_.create_stream(cudaStreamNonBlocking, 0));
            events_[i] = device_.event(device_.create_event(cudaEventDisableTiming, 0));
        }
    }

    void run(std::int64_t operations) {
        const RecordingPaused paused;
        for (std::int64_t chunk = 0; chunk < operations / operations_per_chunk; ++chunk) {
            issue(static_cast<unsigned>(chunk));
        }
        device_.synchronize_all();
        if (!device_.findings().empty()) {
            throw std::logic_error("expected a correct program, found " + device_.findings().front().kind);
        }
    }

private:
    void call() {
        device_.begin_call();
        device_.spend(cost_of_a_call);
    }

    void issue(unsigned chunk) {
        Stream& stream = *streams_[chunk % streams];
        Stream& next = *streams_[(chunk + 1) % streams];
        const std::size_t at = chunk % chunks * chunk_threads;
        call();
        device_.copy({.to = Rows(device_data_ + at, chunk_bytes),
                      .from = Rows(input_ + at, chunk_bytes),
                      .kind = cudaMemcpyHostToDevice,
                      .stream = &stream,
                      .asynchronous = true,
                      .call = "copy"});
        call();
        device_.launch({"kernel", dim3(1), dim3(chunk_threads), 0, &stream,
                        kernel_.instrumented(device_data_ + at, device_data_ + at, chunk_threads), 0});
        call();
        device_.copy({.to = Rows(output_ + at, chunk_bytes),
                      .from = Rows(device_data_ + at, chunk_bytes),
                      .kind = cudaMemcpyDeviceToHost,
                      .stream = &stream,
                      .asynchronous = true,
                      .call = "copy"});
        call();
        device_.record(*events_[chunk % streams], stream);
        call();
        device_.wait(next, *events_[chunk % streams], 0);
    }

    const Kernel kernel_ = neighbours();
    SimulatedDevice device_;
    float* device_data_ = allocate(device_, MemoryKind::device, chunks* chunk_bytes);
    float* input_ = allocate(device_, MemoryKind::pinned, chunks* chunk_bytes);
    float* output_ = allocate(device_, MemoryKind::pinned, chunks* chunk_bytes);
    std::array<Stream*, streams> streams_{};
    std::array<simulator::Event*, streams> events_{};
};

void count_operations(benchmark::State& state) {
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetComplexityN(state.range(0));
}

// With the bytes, the kernels' threads and the ordering checker.
void stream_operations(benchmark::State& state) {
    for (auto _ : state) {
        Pipeline().run(state.range(0));
    }
    count_operations(state);
}

// The same pipeline without: what happens when, and nothing else.
void stream_operations_times_only(benchmark::State& state) {
    for (auto _ : state) {
        Engine engine(profile());
        std::array<TaskId, streams> last{};
        Time now{};
        for (std::int64_t chunk = 0; chunk < state.range(0) / operations_per_chunk; ++chunk) {
            const auto stream = static_cast<std::uint32_t>(chunk % streams);
            TaskId& task = last[stream];
            const auto add = [&](simulator::TaskSpec spec, TaskId also_after) {
                now += cost_of_a_call;
                engine.advance_to(now);
                spec.stream = stream;
                return engine.submit(std::move(spec), std::array{task, also_after}, now);
            };
            task = add({.resource = Resource::copy_to_device, .bytes = chunk_bytes, .bytes_per_second = 1e10}, 0);
            task = add({.resource = Resource::compute,
                        .start =
                            [] {
                                return simulator::KernelCost{Time(3000), 0.01};
                            }},
                       0);
            task = add({.resource = Resource::copy_to_host, .bytes = chunk_bytes, .bytes_per_second = 1e10}, 0);
            task = add({}, 0);
            TaskId& next = last[(stream + 1) % streams];
            next = engine.submit({.stream = (stream + 1) % streams}, std::array{next, task}, now);
        }
        benchmark::DoNotOptimize(engine.run_until_idle());
    }
    count_operations(state);
}

BENCHMARK(stream_operations)->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMillisecond)->Complexity();
BENCHMARK(stream_operations_times_only)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();

constexpr unsigned elements = 1 << 20;

struct Data {
    SimulatedDevice device{profile()};
    Stream& stream = *device.stream(nullptr);
    float* x = allocate(device, MemoryKind::device, elements * sizeof(float));
    float* y = allocate(device, MemoryKind::device, elements * sizeof(float));
    // A first copy, so that nothing is measured that happens to a page once.
    Data() { device.synchronize_all(); }

    void run(std::unique_ptr<simulator::KernelBody> body, unsigned threads) {
        device.begin_call();
        device.launch({"kernel", dim3(threads / threads_per_block), dim3(threads_per_block), 0, &stream,
                       std::shared_ptr<simulator::KernelBody>(std::move(body)), 0});
        device.synchronize_all();
    }
};

void count_threads(benchmark::State& state, double accesses) {
    const auto threads = static_cast<double>(state.iterations()) * elements;
    state.counters["threads"] = benchmark::Counter(threads, benchmark::Counter::kIsRate);
    state.counters["accesses"] = benchmark::Counter(threads * accesses, benchmark::Counter::kIsRate);
}

// A launch on the simulated device: every access is recorded, and judged by the ordering checker.
void kernel_checked(benchmark::State& state, Kernel kernel) {
    Data data;
    const RecordingPaused paused;
    for (auto _ : state) {
        data.run(kernel.instrumented(data.x, data.y, elements), elements);
    }
    count_threads(state, kernel.accesses);
}

// The same threads, and nothing is recorded.
void kernel_unchecked(benchmark::State& state, Kernel kernel) {
    Data data;
    const RecordingPaused paused;
    const auto body = kernel.instrumented(data.x, data.y, elements);
    for (auto _ : state) {
        simulator::run_all_threads({[](void* k) { static_cast<simulator::KernelBody*>(k)->run_thread(); }, body.get()},
                                   dim3(elements / threads_per_block), dim3(threads_per_block), 0);
    }
    count_threads(state, kernel.accesses);
}

void kernel_plain_loop(benchmark::State& state, Kernel kernel) {
    std::vector<float> x(elements);
    std::vector<float> y(elements);
    for (auto _ : state) {
        kernel.plain(x.data(), y.data(), elements);
        benchmark::ClobberMemory();
    }
    count_threads(state, kernel.accesses);
}

// Every thread on a stack of its own.
void kernel_with_barriers(benchmark::State& state) {
    Data data;
    const RecordingPaused paused;
    for (auto _ : state) {
        data.run(block_sums(data.y), elements);
    }
    const auto threads = static_cast<double>(state.iterations()) * elements;
    state.counters["threads"] = benchmark::Counter(threads, benchmark::Counter::kIsRate);
    state.counters["waits"] = benchmark::Counter(threads * barriers_of_block_sums, benchmark::Counter::kIsRate);
}

#define MEASURE_KERNEL(name)                                                           \
    BENCHMARK_CAPTURE(kernel_plain_loop, name, name())->Unit(benchmark::kMillisecond); \
    BENCHMARK_CAPTURE(kernel_unchecked, name, name())->Unit(benchmark::kMillisecond);  \
    BENCHMARK_CAPTURE(kernel_checked, name, name())->Unit(benchmark::kMillisecond)

MEASURE_KERNEL(neighbours);
MEASURE_KERNEL(pages_apart);
MEASURE_KERNEL(sums);
BENCHMARK(kernel_with_barriers)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace benchmarks

BENCHMARK_MAIN();
