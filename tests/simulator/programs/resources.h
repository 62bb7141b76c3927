// Memory, streams and events that give themselves back.
#pragma once

#include "cases.h"

namespace cases {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

class DeviceMemory {
public:
    explicit DeviceMemory(std::size_t bytes) { CALL(cudaMalloc(&data_, bytes)); }
    ~DeviceMemory() { CALL(cudaFree(data_)); }
    DeviceMemory(const DeviceMemory&) = delete;
    operator unsigned*() const { return data_; }

private:
    unsigned* data_ = nullptr;
};

class PinnedMemory {
public:
    explicit PinnedMemory(std::size_t bytes) { CALL(cudaMallocHost(&data_, bytes)); }
    ~PinnedMemory() { CALL(cudaFreeHost(data_)); }
    PinnedMemory(const PinnedMemory&) = delete;
    operator unsigned*() const { return data_; }

private:
    unsigned* data_ = nullptr;
};

class PageableMemory {
public:
    explicit PageableMemory(std::size_t bytes) : data_(new unsigned[bytes / sizeof(unsigned)]()) {}
    ~PageableMemory() { delete[] data_; }
    PageableMemory(const PageableMemory&) = delete;
    operator unsigned*() const { return data_; }

private:
    unsigned* data_ = nullptr;
};

class Stream {
public:
    explicit Stream(unsigned flags = cudaStreamDefault) { CALL(cudaStreamCreateWithFlags(&stream_, flags)); }
    ~Stream() { CALL(cudaStreamDestroy(stream_)); }
    Stream(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    explicit Event(unsigned flags = cudaEventDisableTiming) { CALL(cudaEventCreateWithFlags(&event_, flags)); }
    ~Event() { CALL(cudaEventDestroy(event_)); }
    Event(const Event&) = delete;
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

inline void fill(unsigned* values, std::size_t bytes, unsigned value) {
    for (std::size_t i = 0; i < bytes / sizeof(unsigned); ++i) {
        values[i] = value;
    }
}

inline bool all_equal(const unsigned* values, std::size_t bytes, unsigned value) {
    for (std::size_t i = 0; i < bytes / sizeof(unsigned); ++i) {
        if (values[i] != value) {
            return false;
        }
    }
    return true;
}

}  // namespace cases

#ifdef __SIMULATED_DEVICE__
// Lets a kernel last as long as that many rounds of the course's work function.
extern "C" void simulator_charge_rounds(unsigned rounds);

// One thread that takes about 3 ms and leaves room for other kernels.
[[maybe_unused]] static __global__ void small_busy_kernel() {
    simulator_charge_rounds(1'000'000);
}

// A kernel that fills the whole device (of any profile) when it is launched on whole_device threads.
[[maybe_unused]] static __global__ void large_busy_kernel() {
    simulator_charge_rounds(100'000);
}
constexpr unsigned whole_device_blocks = 264;
constexpr unsigned whole_device_threads = 1024;
#endif
