// A device profile: the figures from which the simulated device keeps virtual time.
// Profiles are JSON files in src/device/profiles; each says where its figures come from.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace device {

// Copies in one direction over the host link.
struct LinkProfile {
    double pinned_bytes_per_second = 0;    // one direction alone, large copies
    double pageable_bytes_per_second = 0;  // staged through the driver's buffers; data that the CPU's caches hold
    double pageable_large_bytes_per_second = 0;  // the same for more data than HostCallProfile::cache_bytes
    std::chrono::nanoseconds copy_overhead{};    // engine time of a copy beyond its bytes, back to back in a stream
};

// What a call costs the calling host thread when it does not wait.
struct HostCallProfile {
    std::chrono::nanoseconds launch{};
    std::chrono::nanoseconds copy_async{};   // between host and device
    std::chrono::nanoseconds device_copy{};  // from device to device
    std::chrono::nanoseconds small_memset{};  // larger ones cost a launch
    std::chrono::nanoseconds launch_host_function{};
    std::chrono::nanoseconds graph_launch{};
    std::chrono::nanoseconds event_record{};          // of an event that keeps the time
    std::chrono::nanoseconds untimed_event_record{};  // cudaEventDisableTiming
    std::chrono::nanoseconds stream_wait_event{};
    std::chrono::nanoseconds query{};
    std::chrono::nanoseconds wake_up{};  // from the end of the device's work to the return of the call that waited
    std::chrono::nanoseconds create_stream{};
    std::chrono::nanoseconds create_event{};
    std::chrono::nanoseconds device_allocation{};        // takes new memory from the device
    std::chrono::nanoseconds device_free{};              // gives memory back to the device
    std::chrono::nanoseconds small_device_allocation{};  // finds place in memory that the process holds, or leaves it
    std::chrono::nanoseconds ordered_allocation{};       // cudaMallocAsync and cudaFreeAsync
    double device_allocation_bytes_per_second = 0;       // what large blocks take beyond that
    double device_free_bytes_per_second = 0;
    double pinned_allocation_bytes_per_second = 0;        // the first 16 MiB
    double pinned_allocation_large_bytes_per_second = 0;  // what is beyond
    std::chrono::nanoseconds pinned_free{};
    double pinned_free_bytes_per_second = 0;
    std::chrono::nanoseconds registration{};
    double registration_bytes_per_second = 0;
    std::chrono::nanoseconds unregistration{};
    double unregistration_bytes_per_second = 0;
    double host_copy_bytes_per_second = 0;
    std::uint64_t cache_bytes = 0;  // last-level cache: pageable copies of more data are slower
    std::chrono::nanoseconds other{};  // every other call
};

struct Profile {
    std::string name;
    std::string device;
    std::string source;     // where the figures come from, for people
    bool measured = false;  // true: measured on that device; false: from published figures

    unsigned copy_engines = 2;
    unsigned multiprocessors = 0;
    unsigned threads_per_multiprocessor = 0;
    int compute_capability_major = 0;
    int compute_capability_minor = 0;
    std::uint64_t memory_bytes = 0;
    double memory_bytes_per_second = 0;
    std::uint64_t l2_cache_bytes = 0;
    double l2_bytes_per_second = 0;  // kernels and copies whose data lie in that cache

    LinkProfile host_to_device;
    LinkProfile device_to_host;
    double both_directions_bytes_per_second = 0;  // total while both directions are busy

    std::chrono::nanoseconds both_directions_overhead{};  // more for a copy that begins while the other direction is busy
    std::chrono::nanoseconds stream_switch{};       // added when a copy engine turns to another stream
    std::chrono::nanoseconds dependency_latency{};  // to a dependent operation of another engine, copies: or stream
    std::chrono::nanoseconds small_copy_dependency_latency{};  // the same where either is a copy of few bytes
    std::chrono::nanoseconds kernel_dependency_latency{};  // from kernel to kernel of another stream
    std::chrono::nanoseconds host_function_latency{};      // to a host function that depends on device work, and back
    std::chrono::nanoseconds submission_latency{};  // from a call to the earliest start of its operation
    std::chrono::nanoseconds kernel_overhead{};     // device time of an empty kernel
    std::chrono::nanoseconds graph_kernel_overhead{};  // the same behind another node of its graph

    double work_rounds_per_second = 0;       // lab::work, whole device
    std::chrono::duration<std::int64_t, std::pico> work_round_latency{};  // one round in one thread
    double basic_blocks_per_second = 0;      // compiled basic blocks, all threads, whole device

    HostCallProfile host;
};

// Reads a profile. Throws std::runtime_error with one line that names the file, what was expected and what was found.
Profile load_profile(const std::filesystem::path& file);

// Writes `profile` as JSON. Throws std::runtime_error when the file cannot be written.
void save_profile(const std::filesystem::path& file, const Profile& profile);

// The names of the profiles (files NAME.json) in `folder`, sorted.
std::vector<std::string> profile_names(const std::filesystem::path& folder);

}  // namespace device
