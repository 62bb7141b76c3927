// The size of a lab's problem. No CUDA here: the harness library is built without it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab {

// Elements are unsigned integers, so that every result is exact and is compared bit by bit.
using Element = std::uint32_t;

namespace harness {
class HostSide;
}

struct Problem {
    std::size_t elements = 0;        // how many elements go in, and come out
    std::size_t chunk_elements = 0;  // elements per chunk; the last chunk may be shorter
    unsigned rounds = 0;             // how much work the kernel does per element: pass it to lab::work

    // Only some labs use these.
    std::uint64_t host_work_ns = 0;  // how long host_work(problem) takes
    std::size_t device_bytes = 0;    // the device memory that may be in use at once; 0: no limit

    harness::HostSide* host = nullptr;  // the harness's own: what host_work, produce and consume work on
};

// How long the three stages took, in milliseconds.
struct StageTimes {
    float h2d_ms = 0;
    float kernel_ms = 0;
    float d2h_ms = 0;
};

}  // namespace lab
