// Compiled as course-cc compiles programs for the simulated device.
#include "kernels.hpp"

#include "kernel_bodies.hpp"
#include "plain_loops.hpp"

namespace benchmarks {
namespace {

unsigned index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// As launch.hpp makes it of k<<<...>>>(x, y, count).
template <class Call, class... Values>
std::unique_ptr<simulator::KernelBody> launched(Call call, Values... values) {
    using Launched = simulator::LaunchedKernel<Call, std::index_sequence_for<Values...>, Values...>;
    return std::make_unique<Launched>(call, values...);
}

template <auto Body>
std::unique_ptr<simulator::KernelBody> instrumented(const float* x, float* y, unsigned count) {
    return launched([](const float* from, float* to, unsigned n) { Body(index(), from, to, n); }, x, y, count);
}

struct BlockShared {
    float parts[threads_per_block];
};

void sum_block(float* y) {
    using Shared = simulator::SharedVariables<BlockShared>;
    float* const parts = Shared::storage.variables.parts;
    Shared::enter();
    const unsigned mine = threadIdx.x;
    parts[mine] = y[index()];
    __syncthreads();
    for (unsigned half = threads_per_block / 2; half > 0; half /= 2) {
        if (mine < half) {
            parts[mine] += parts[mine + half];
        }
        __syncthreads();
    }
    y[index()] = parts[0];
}

}  // namespace

Kernel neighbours() {
    return {"neighbours", 3, instrumented<neighbours_body>, plain_neighbours};
}
Kernel pages_apart() {
    return {"pages_apart", 3, instrumented<pages_apart_body>, plain_pages_apart};
}
Kernel sums() {
    return {"sums", summands + 1, instrumented<sums_body>, plain_sums};
}

std::unique_ptr<simulator::KernelBody> block_sums(float* y) {
    return launched(sum_block, y);
}

}  // namespace benchmarks
