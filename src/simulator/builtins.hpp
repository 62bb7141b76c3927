// Runs the threads of a kernel one after the other, with threadIdx, blockIdx, blockDim and gridDim set for each.
#pragma once

#include <cstddef>
#include <functional>

#include "simulator/types.h"

namespace simulator {

// A kernel as plain pointers: `run` is called with `kernel` once for each thread.
struct ThreadFunction {
    void (*run)(void* kernel);
    void* kernel;
};

// `after_thread`, where given, is called after each thread; false ends the run.
void run_all_threads(ThreadFunction function, const dim3& grid, const dim3& block, std::size_t shared_bytes,
                     const std::function<bool(const uint3& block, const uint3& thread)>& after_thread = {});

}  // namespace simulator
