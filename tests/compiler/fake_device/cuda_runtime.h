// A device for the tests of the launch syntax: it keeps launches until run_launches(), so that a program can tell
// what was evaluated at the launch from what is read when the kernel runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

typedef struct CUstream_st* cudaStream_t;

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};

inline dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace simulator {

struct KernelBody {
    using VisitPointer = void (*)(void* data, const void* pointer, std::size_t bytes);

    virtual ~KernelBody() = default;
    virtual void run_thread() = 0;
    virtual void visit_pointers(VisitPointer, void*) const {}
};

struct Launch {
    std::string name;
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;
    cudaStream_t stream;
    std::unique_ptr<KernelBody> body;
    std::uintptr_t call_address;
};

inline std::vector<Launch> launches;

inline void launch_kernel(const char* name, const void*, dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
                          std::unique_ptr<KernelBody> body, std::uintptr_t call_address) {
    launches.push_back({name, grid, block, shared_bytes, stream, std::move(body), call_address});
}

}  // namespace simulator

#include "simulator/launch.hpp"

#define SIMULATOR_ANNOUNCE_KERNEL(kernel) true

alignas(16) inline unsigned char dynamic_shared_memory_of_the_block[4096];
extern "C" inline void* simulator_dynamic_shared_memory(void) {
    return dynamic_shared_memory_of_the_block;
}
extern "C" inline void simulator_enter_shared(void*, size_t, uint64_t*) {}
extern "C" inline void simulator_announce_shared(const char*, size_t) {}

// Runs what was launched; only the x dimension counts.
inline void run_launches() {
    for (const auto& launch : simulator::launches) {
        gridDim = launch.grid;
        blockDim = launch.block;
        for (blockIdx.x = 0; blockIdx.x < launch.grid.x; ++blockIdx.x) {
            for (threadIdx.x = 0; threadIdx.x < launch.block.x; ++threadIdx.x) {
                launch.body->run_thread();
            }
        }
    }
    simulator::launches.clear();
}

inline int failures = 0;

template <class A, class B>
void expect_equal(const A& actual, const B& expected, int line) {
    if (!(actual == expected)) {
        std::printf("line %d: the values differ\n", line);
        ++failures;
    }
}

#define EXPECT(actual, expected) expect_equal(actual, expected, __LINE__)
