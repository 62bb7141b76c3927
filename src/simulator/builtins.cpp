#include "simulator/builtins.hpp"

#include <algorithm>
#include <vector>

#include "simulator/memory.hpp"

// Programs see these as constants (device_code.h), which they are for as long as one thread runs.
extern "C" {
uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;
}

namespace simulator {
namespace {

std::vector<std::max_align_t> shared_memory;

void poison_shared_memory(std::size_t bytes) {
    shared_memory.resize((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    auto* const begin = reinterpret_cast<unsigned char*>(shared_memory.data());
    std::fill(begin, begin + shared_memory.size() * sizeof(std::max_align_t), poison_byte);
}

}  // namespace

void run_all_threads(ThreadFunction function, const dim3& grid, const dim3& block, std::size_t shared_bytes,
                     const std::function<bool(const uint3& block, const uint3& thread)>& after_thread) {
    gridDim = grid;
    blockDim = block;
    const bool watched = static_cast<bool>(after_thread);
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z) {
        for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y) {
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
                poison_shared_memory(shared_bytes);
                for (threadIdx.z = 0; threadIdx.z < block.z; ++threadIdx.z) {
                    for (threadIdx.y = 0; threadIdx.y < block.y; ++threadIdx.y) {
                        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) {
                            function.run(function.kernel);
                            if (watched && !after_thread(blockIdx, threadIdx)) {
                                return;
                            }
                        }
                    }
                }
            }
        }
    }
}

}  // namespace simulator

extern "C" void* simulator_dynamic_shared_memory(void) {
    return simulator::shared_memory.data();
}
