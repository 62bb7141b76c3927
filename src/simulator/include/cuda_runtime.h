// The simulated device's CUDA runtime: it stands in for NVIDIA's header of the same name, so that the same .cu file is
// compiled for both devices.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "simulator/api.h"
#include "simulator/device_code.h"
#include "simulator/device_variables.h"
#include "simulator/types.h"

namespace simulator {

// A kernel with its arguments; run_thread() is called once for every simulated thread.
struct KernelBody {
    using VisitPointer = void (*)(void* data, const void* pointer, std::size_t bytes);

    virtual ~KernelBody() = default;
    virtual void run_thread() = 0;
    // Each argument that is a pointer to objects, with the size of one.
    virtual void visit_pointers(VisitPointer, void*) const {}
};

// What <<<...>>> comes down to. `function` is the kernel's address if it is known, `call_address` is an address in the
// statement that launched.
void launch_kernel(const char* name, const void* function, dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
                   std::unique_ptr<KernelBody> body, std::uintptr_t call_address);

// The handle 0 means the calling thread's own default stream from now on, in the whole program. Returns true.
bool use_per_thread_default_stream();
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
namespace {
[[maybe_unused]] const bool per_thread_default_stream = use_per_thread_default_stream();
}
#endif

}  // namespace simulator

#include "simulator/launch.hpp"

#include "simulator/kernels.h"
