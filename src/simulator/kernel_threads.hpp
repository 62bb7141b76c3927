// Runs the threads of a kernel on the CPU. As long as none has to wait they run one after the other on one stack, as in
// a plain loop; a thread that waits at a barrier keeps its stack, and the others go on on another one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/barriers.h"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/types.h"

namespace simulator {

// A kernel as plain pointers: `run` is called with `kernel` once for each thread.
struct ThreadFunction {
    void (*run)(void* kernel);
    void* kernel;
};

// A barrier that was not used as CUDA demands.
struct BarrierMisuse {
    enum class Kind {
        never_reached,     // no thread of the block can go on: they wait for each other at different places
        different_calls,   // threads of a block met at different calls of __syncthreads
        lane_not_in_mask,  // the mask of a warp function does not name the thread that calls it
    };
    Kind kind = Kind::never_reached;
    std::uintptr_t at = 0;     // return addresses of the calls
    std::uintptr_t other = 0;  // 0 where there is no other one
    uint3 block{};
    uint3 thread{};  // the one at `at`
};

// Shared memory that a kernel used: a __shared__ declaration, or the dynamic shared memory. All blocks have it at the
// same place, between guards.
struct UsedSharedMemory {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;

    AddressRange guard_before() const { return {begin - SIMULATOR_SHARED_GUARD_BYTES, begin}; }
    AddressRange guard_behind() const { return {begin + bytes, begin + bytes + SIMULATOR_SHARED_GUARD_BYTES}; }
};

struct KernelOutcome {
    bool completed = true;            // false: threads waited for ever, and the kernel was given up
    std::uint64_t waited_cycles = 0;  // the most that one thread spent in __nanosleep or reading the clock in a loop
    std::vector<BarrierMisuse> misuses;
    std::vector<UsedSharedMemory> shared;
};

// Runs all threads with threadIdx, blockIdx, blockDim and gridDim set for each. `start_cycles` is what clock64() counts
// from. Threads of a block that wait at no barrier run in the order of their indices.
KernelOutcome run_all_threads(ThreadFunction function, const dim3& grid, const dim3& block, std::size_t shared_bytes,
                              std::uint64_t start_cycles = 0);

// The kernel that runs ends after the thread that calls this.
void stop_after_this_thread();

// Whether a kernel runs on the calling host thread.
bool kernel_runs_here();

// While true, what atomic functions write is recorded like plain writes, and can be taken back like them.
extern bool atomics_taken_back;

// Clock cycles of a multiprocessor per second, for clock64() and __nanosleep.
inline constexpr double cycles_per_second = 1.98e9;

// A block or a thread, as findings name it: (x, y, z).
std::string text_of(const uint3& position);

}  // namespace simulator
