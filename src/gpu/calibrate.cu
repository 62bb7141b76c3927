// Measures this GPU and writes a profile of it for the simulated device: calibrate NAME FILE
//
// Every figure is the median of several measurements. Copies and kernels are timed with events on the device, calls with
// the host's clock.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/hooks.h"
#include "device/profile.hpp"
#include "lab.h"

namespace {

using lab::Element;
using std::chrono::nanoseconds;

constexpr int repetitions = 15;
constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t large_bytes = 256 * mib;
constexpr std::size_t duplex_chunk_bytes = 64 * mib;
constexpr std::size_t small_bytes = mib / 2;  // per-copy overheads weigh most in small copies
constexpr int small_copies = 64;

__global__ void empty() {}

__global__ void work(const Element* input, Element* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        throw std::runtime_error(std::string("calibration: expected ") + what + " to succeed, found " +
                                 cudaGetErrorString(error));
    }
}
#define CHECK(call) check((call), #call)

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double median_of(const std::function<double()>& measure) {
    measure();  // the first one loads code and wakes the device
    std::vector<double> values;
    for (int i = 0; i < repetitions; ++i) {
        values.push_back(measure());
    }
    return median(values);
}

// Everything that the measurements use; given back when the program ends.
struct Bench {
    cudaStream_t up = nullptr, down = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
    char *pinned_up = nullptr, *pinned_down = nullptr, *device_up = nullptr, *device_down = nullptr;
    std::vector<char> pageable_up = std::vector<char>(large_bytes, 1);
    std::vector<char> pageable_down = std::vector<char>(large_bytes, 2);

    Bench() {
        CHECK(cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        CHECK(cudaMallocHost(&pinned_up, large_bytes));
        CHECK(cudaMallocHost(&pinned_down, large_bytes));
        CHECK(cudaMalloc(&device_up, large_bytes));
        CHECK(cudaMalloc(&device_down, large_bytes));
        std::fill_n(pinned_up, large_bytes, 3);
        std::fill_n(pinned_down, large_bytes, 4);
        CHECK(cudaMemset(device_up, 5, large_bytes));
        CHECK(cudaMemset(device_down, 6, large_bytes));
        CHECK(cudaDeviceSynchronize());
    }

    void copy_up(std::size_t bytes, cudaStream_t stream) {
        CHECK(cudaMemcpyAsync(device_up, pinned_up, bytes, cudaMemcpyHostToDevice, stream));
    }
    void copy_down(std::size_t bytes, cudaStream_t stream) {
        CHECK(cudaMemcpyAsync(pinned_down, device_down, bytes, cudaMemcpyDeviceToHost, stream));
    }
    void launch(std::size_t elements, unsigned rounds, cudaStream_t stream) {
        constexpr unsigned threads = 256;
        work<<<static_cast<unsigned>((elements + threads - 1) / threads), threads, 0, stream>>>(
            reinterpret_cast<const Element*>(device_up), reinterpret_cast<Element*>(device_down), elements, rounds);
        CHECK(cudaGetLastError());
    }

    // Device time of what `issue` puts into `up`, and into streams that it joins to it.
    double device_ns(const std::function<void()>& issue) {
        return median_of([&] {
            CHECK(cudaEventRecord(begin, up));
            issue();
            CHECK(cudaEventRecord(end, up));
            CHECK(cudaEventSynchronize(end));
            float milliseconds = 0;
            CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
            return static_cast<double>(milliseconds) * 1e6;
        });
    }

    // Host time from before `action` until it is done; the device is idle before.
    double host_ns(const std::function<void()>& action) {
        return median_of([&] {
            CHECK(cudaDeviceSynchronize());
            const auto start = std::chrono::steady_clock::now();
            action();
            const auto stop = std::chrono::steady_clock::now();
            CHECK(cudaDeviceSynchronize());
            return std::chrono::duration<double, std::nano>(stop - start).count();
        });
    }
};

void let_wait(cudaStream_t waiting, cudaStream_t for_stream) {
    static cudaEvent_t event = [] {
        cudaEvent_t made = nullptr;
        CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
        return made;
    }();
    CHECK(cudaEventRecord(event, for_stream));
    CHECK(cudaStreamWaitEvent(waiting, event, 0));
}

std::chrono::duration<std::int64_t, std::pico> whole_ps(double ns) {
    return std::chrono::duration<std::int64_t, std::pico>(static_cast<std::int64_t>(std::max(0.0, ns) * 1e3 + 0.5));
}
nanoseconds whole_ns(double value) { return nanoseconds(static_cast<std::int64_t>(std::max(0.0, value) + 0.5)); }

void measure_copies(Bench& bench, device::Profile& profile) {
    const auto rate = [](double bytes, double ns) { return bytes / ns * 1e9; };
    const double large = static_cast<double>(large_bytes);
    profile.host_to_device.pinned_bytes_per_second =
        rate(large, bench.device_ns([&] { bench.copy_up(large_bytes, bench.up); }));
    profile.device_to_host.pinned_bytes_per_second =
        rate(large, bench.device_ns([&] { bench.copy_down(large_bytes, bench.up); }));
    profile.host_to_device.pageable_bytes_per_second = rate(large, bench.host_ns([&] {
        CHECK(cudaMemcpy(bench.device_up, bench.pageable_up.data(), large_bytes, cudaMemcpyHostToDevice));
    }));
    profile.device_to_host.pageable_bytes_per_second = rate(large, bench.host_ns([&] {
        CHECK(cudaMemcpy(bench.pageable_down.data(), bench.device_down, large_bytes, cudaMemcpyDeviceToHost));
    }));
    constexpr int copies = 16;
    profile.both_directions_bytes_per_second = rate(2.0 * copies * duplex_chunk_bytes, bench.device_ns([&] {
        let_wait(bench.down, bench.up);
        for (int i = 0; i < copies; ++i) {
            bench.copy_up(duplex_chunk_bytes, bench.up);
            bench.copy_down(duplex_chunk_bytes, bench.down);
        }
        let_wait(bench.up, bench.down);
    }));
    const double bytes_ns = small_bytes / profile.host_to_device.pinned_bytes_per_second * 1e9;
    const double in_one_stream = bench.device_ns([&] {
        for (int i = 0; i < small_copies; ++i) {
            bench.copy_up(small_bytes, bench.up);
        }
    });
    const double in_two_streams = bench.device_ns([&] {
        let_wait(bench.down, bench.up);
        for (int i = 0; i < small_copies; ++i) {
            bench.copy_up(small_bytes, i % 2 == 0 ? bench.up : bench.down);
        }
        let_wait(bench.up, bench.down);
    });
    profile.host_to_device.copy_overhead = whole_ns(in_one_stream / small_copies - bytes_ns);
    profile.device_to_host.copy_overhead = whole_ns(bench.device_ns([&] {
        for (int i = 0; i < small_copies; ++i) {
            bench.copy_down(small_bytes, bench.up);
        }
    }) / small_copies - small_bytes / profile.device_to_host.pinned_bytes_per_second * 1e9);
    profile.stream_switch = whole_ns((in_two_streams - in_one_stream) / small_copies);
}

void measure_kernels(Bench& bench, device::Profile& profile) {
    constexpr std::size_t elements = large_bytes / sizeof(Element);
    constexpr unsigned few = 512, many = 2048;
    const double few_ns = bench.device_ns([&] { bench.launch(elements, few, bench.up); });
    const double many_ns = bench.device_ns([&] { bench.launch(elements, many, bench.up); });
    profile.work_rounds_per_second = static_cast<double>(elements) * (many - few) / (many_ns - few_ns) * 1e9;
    const double one_few = bench.device_ns([&] { bench.launch(1, few, bench.up); });
    const double one_many = bench.device_ns([&] { bench.launch(1, many, bench.up); });
    profile.work_round_latency = whole_ps((one_many - one_few) / (many - few));
    const double nothing = bench.device_ns([] {});
    const double one_empty = bench.device_ns([&] {
        empty<<<1, 1, 0, bench.up>>>();
        CHECK(cudaGetLastError());
    });
    profile.kernel_overhead = whole_ns(one_empty - nothing);
    profile.memory_bytes_per_second = 2.0 * large_bytes / bench.device_ns([&] {
        CHECK(cudaMemcpyAsync(bench.device_down, bench.device_up, large_bytes, cudaMemcpyDeviceToDevice, bench.up));
    }) * 1e9;
    // A small chunk in one stream: in, kernel, out. What its three stages do not explain is the way between engines.
    constexpr int chunks = 64;
    constexpr std::size_t chunk_elements = small_bytes / sizeof(Element);
    const double chain = bench.device_ns([&] {
        for (int i = 0; i < chunks; ++i) {
            bench.copy_up(small_bytes, bench.up);
            bench.launch(chunk_elements, few, bench.up);
            bench.copy_down(small_bytes, bench.up);
        }
    }) / chunks;
    const double up = small_bytes / profile.host_to_device.pinned_bytes_per_second * 1e9;
    const double down = small_bytes / profile.device_to_host.pinned_bytes_per_second * 1e9;
    const double kernel = static_cast<double>(chunk_elements) * few / profile.work_rounds_per_second * 1e9 +
                          static_cast<double>(profile.kernel_overhead.count());
    const auto overheads = profile.host_to_device.copy_overhead + profile.device_to_host.copy_overhead;
    const double copies = up + down + static_cast<double>(overheads.count());
    profile.small_copy_dependency_latency = whole_ns((chain - copies - kernel) / 3);
}

void measure_calls(Bench& bench, device::Profile& profile) {
    constexpr int calls = 256;  // fewer than a stream's queue holds, so that no call waits
    const auto per_call = [&](const std::function<void()>& call) {
        return whole_ns(bench.host_ns([&] {
            for (int i = 0; i < calls; ++i) {
                call();
            }
        }) / calls);
    };
    profile.host.launch = per_call([&] { empty<<<1, 1, 0, bench.up>>>(); });
    profile.host.copy_async = per_call([&] { bench.copy_up(small_bytes, bench.up); });
    profile.host.event_record = per_call([&] { CHECK(cudaEventRecord(bench.begin, bench.up)); });
    profile.host.device_copy = per_call([&] {
        CHECK(cudaMemcpyAsync(bench.device_down, bench.device_up, small_bytes, cudaMemcpyDeviceToDevice, bench.up));
    });
    profile.host.small_memset = per_call([&] { CHECK(cudaMemsetAsync(bench.device_up, 0, 4096, bench.up)); });
    profile.host.launch_host_function = per_call([&] { CHECK(cudaLaunchHostFunc(bench.up, [](void*) {}, nullptr)); });
    profile.host.query = per_call([&] { (void)cudaStreamQuery(bench.up); });
    cudaEvent_t event = nullptr;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    profile.host.untimed_event_record = per_call([&] { CHECK(cudaEventRecord(event, bench.up)); });
    CHECK(cudaEventRecord(event, bench.up));
    profile.host.stream_wait_event = per_call([&] { CHECK(cudaStreamWaitEvent(bench.down, event, 0)); });
    CHECK(cudaEventDestroy(event));
    int device = 0;
    profile.host.other = per_call([&] { CHECK(cudaGetDevice(&device)); });
    const double empty_ns = bench.host_ns([&] {
        empty<<<1, 1, 0, bench.up>>>();
        CHECK(cudaStreamSynchronize(bench.up));
    });
    const double known = static_cast<double>((profile.host.launch + profile.kernel_overhead).count());
    // What remains is shared by the way to the device and the way back; the split does not change any sum.
    profile.submission_latency = whole_ns((empty_ns - known) / 2);
    profile.host.wake_up = whole_ns((empty_ns - known) / 2);

    cudaStream_t stream = nullptr;
    profile.host.create_stream = whole_ns(bench.host_ns([&] { CHECK(cudaStreamCreate(&stream)); }));
    profile.host.create_event = whole_ns(bench.host_ns([&] { CHECK(cudaEventCreate(&event)); }));
    void* memory = nullptr;
    profile.host.device_allocation = whole_ns(bench.host_ns([&] { CHECK(cudaMalloc(&memory, 16 * mib)); }));
    std::vector<double> frees;
    for (int i = 0; i < repetitions; ++i) {
        CHECK(cudaMalloc(&memory, 16 * mib));
        const auto start = std::chrono::steady_clock::now();
        CHECK(cudaFree(memory));
        frees.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }
    profile.host.device_free = whole_ns(median(frees));
}

void measure_host_memory(Bench& bench, device::Profile& profile) {
    const auto seconds_since = [](auto start) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    constexpr int times = 3;
    std::vector<double> pinned, freed, registered, unregistered, copied;
    for (int i = 0; i < times; ++i) {
        void* memory = nullptr;
        auto start = std::chrono::steady_clock::now();
        CHECK(cudaMallocHost(&memory, large_bytes));
        pinned.push_back(large_bytes / seconds_since(start));
        start = std::chrono::steady_clock::now();
        CHECK(cudaFreeHost(memory));
        freed.push_back(large_bytes / seconds_since(start));
        start = std::chrono::steady_clock::now();
        CHECK(cudaHostRegister(bench.pageable_up.data(), large_bytes, cudaHostRegisterDefault));
        registered.push_back(large_bytes / seconds_since(start));
        start = std::chrono::steady_clock::now();
        CHECK(cudaHostUnregister(bench.pageable_up.data()));
        unregistered.push_back(large_bytes / seconds_since(start));
        start = std::chrono::steady_clock::now();
        std::copy(bench.pageable_up.begin(), bench.pageable_up.end(), bench.pinned_up);
        copied.push_back(large_bytes / seconds_since(start));
    }
    profile.host.pinned_allocation_bytes_per_second = median(pinned);
    profile.host.pinned_allocation_large_bytes_per_second = profile.host.pinned_allocation_bytes_per_second;
    profile.host.pinned_free_bytes_per_second = median(freed);
    profile.host.unregistration_bytes_per_second = median(unregistered);
    profile.host.registration_bytes_per_second = median(registered);
    profile.host.host_copy_bytes_per_second = median(copied);
}

// What only the fidelity experiment tells apart (src/fidelity/fit.py): for a start, from what is known.
void take_the_rest(device::Profile& profile) {
    cudaDeviceProp properties{};
    CHECK(cudaGetDeviceProperties(&properties, 0));
    profile.l2_cache_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
    profile.l2_bytes_per_second = 1.5 * profile.memory_bytes_per_second;
    for (device::LinkProfile* link : {&profile.host_to_device, &profile.device_to_host}) {
        link->pageable_large_bytes_per_second = link->pageable_bytes_per_second;
    }
    profile.dependency_latency = profile.small_copy_dependency_latency * 4 / 3;
    profile.kernel_dependency_latency = profile.dependency_latency / 2;
    profile.host_function_latency = 2 * profile.dependency_latency;
    profile.graph_kernel_overhead = profile.kernel_overhead / 3;
    profile.host.graph_launch = profile.host.launch;
    profile.host.small_device_allocation = nanoseconds(1200);
    profile.host.ordered_allocation = nanoseconds(420);
    profile.host.device_allocation_bytes_per_second = 8e12;
    profile.host.device_free_bytes_per_second = 3.2e12;
    profile.host.cache_bytes = 96 * mib;
}

device::Profile identify(const std::string& name) {
    cudaDeviceProp properties{};
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    const auto version = [](int number) {
        return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
    };
    const std::chrono::year_month_day today(
        std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
    char date[16];
    std::snprintf(date, sizeof date, "%04d-%02u-%02u", static_cast<int>(today.year()),
                  static_cast<unsigned>(today.month()), static_cast<unsigned>(today.day()));
    device::Profile profile;
    profile.name = name;
    profile.device = properties.name;
    profile.source = "measured by `course calibrate` on " + profile.device + ", " + date + ", driver for CUDA " +
                     version(driver) + ", runtime " + version(runtime);
    profile.measured = true;
    profile.copy_engines = properties.asyncEngineCount > 1 ? 2 : 1;
    profile.multiprocessors = static_cast<unsigned>(properties.multiProcessorCount);
    profile.threads_per_multiprocessor = static_cast<unsigned>(properties.maxThreadsPerMultiProcessor);
    profile.compute_capability_major = properties.major;
    profile.compute_capability_minor = properties.minor;
    profile.memory_bytes = properties.totalGlobalMem;
    int clock_khz = 0;
    CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    // Not measured: four single-precision lanes of 32 in each multiprocessor, four instructions in a basic block.
    profile.basic_blocks_per_second = 128.0 / 4 * properties.multiProcessorCount * clock_khz * 1e3;
    return profile;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "expected: calibrate NAME FILE; found %d arguments\n", argc - 1);
        return 2;
    }
    try {
        device::Profile profile = identify(argv[1]);
        Bench bench;
        measure_copies(bench, profile);
        measure_kernels(bench, profile);
        measure_calls(bench, profile);
        measure_host_memory(bench, profile);
        take_the_rest(profile);
        device::save_profile(argv[2], profile);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
