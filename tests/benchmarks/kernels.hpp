// Kernels to measure: as the simulated device runs them, and the same work as a plain loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "cuda_runtime.h"

namespace benchmarks {

inline constexpr unsigned threads_per_block = 256;

struct Kernel {
    std::string_view name;
    unsigned accesses;  // of each thread
    std::unique_ptr<simulator::KernelBody> (*instrumented)(const float* x, float* y, unsigned count);
    void (*plain)(const float* x, float* y, unsigned count);  // for all threads
};

// y[i] = 2 * x[i] + y[i], with one thread for each of `count` elements.
Kernel neighbours();
// The same where neighbouring threads access different pages, as a matrix is walked along its columns.
Kernel pages_apart();
// 64 elements of x are added up by each thread.
Kernel sums();

// The sum of each block's elements of y, by halves in shared memory, with nine barriers. `count` threads in all.
std::unique_ptr<simulator::KernelBody> block_sums(float* y);
inline constexpr unsigned barriers_of_block_sums = 9;

}  // namespace benchmarks
