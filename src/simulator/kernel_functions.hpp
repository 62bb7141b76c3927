// The program's kernels by their addresses, and what one block of each needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda_runtime.h"
#include "device/profile.hpp"

namespace simulator {

// What a multiprocessor offers to blocks, by compute capability: CUDA C++ Programming Guide 13.0, "Technical
// Specifications per Compute Capability". Threads come from the profile.
struct MultiprocessorLimits {
    std::size_t shared_bytes = 0;
    std::size_t shared_bytes_per_block = 0;  // for a kernel that asks for it with cudaFuncSetAttribute
    std::size_t reserved_shared_bytes = 0;   // of each block, for the system
    unsigned blocks = 0;
    unsigned threads = 0;
    unsigned registers = 65536;
};
MultiprocessorLimits multiprocessor_limits(const device::Profile& profile);

inline constexpr std::size_t usual_shared_bytes_per_block = 48 * 1024;
inline constexpr unsigned most_threads_per_block = 1024;
// Nothing here is compiled for a GPU: what small kernels typically need.
inline constexpr unsigned assumed_registers_per_thread = 32;

// What a block of one kernel takes.
struct BlockNeeds {
    unsigned threads = 0;
    std::size_t static_shared_bytes = 0;
    std::size_t dynamic_shared_bytes = 0;
};
// How many such blocks a multiprocessor holds at a time.
unsigned resident_blocks(const MultiprocessorLimits& limits, const BlockNeeds& block);

// A kernel of the program: its short name, and what can be set for it.
struct KernelFunction {
    std::string name;
    MakeKernelBody make = nullptr;
    std::size_t static_shared_bytes = 0;
    std::size_t dynamic_shared_limit_bytes = 0;
    int shared_carveout = cudaSharedmemCarveoutDefault;
};

// Null when no kernel of the program has this address.
KernelFunction* find_kernel(const void* kernel);

// The dynamic shared memory that a launch may ask for; where only the kernel's name is known, as much as any kernel of
// this name may.
std::size_t dynamic_shared_limit_bytes(const void* kernel, const std::string& name);

// The last identifier of a kernel's name as it stands in the source, without what makes it a specialization: what a
// GPU's trace and the simulated one have in common.
std::string plain_kernel_name(const std::string& name);

// Takes back what was set for every kernel.
void reset_kernels();

}  // namespace simulator
