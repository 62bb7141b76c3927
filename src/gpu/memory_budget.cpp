// A limit on the device memory that a program holds: its calls of the allocating functions arrive here, because
// programs for a GPU are linked with --wrap (src/compiler/commands.cpp).
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "device/hooks.h"

namespace {

// The program's device allocations and what they may take together.
class Budget {
public:
    std::size_t set(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        limit_bytes_ = bytes;
        return std::exchange(largest_refused_bytes_, 0);
    }

    // Whether `bytes` more would be too much; remembers what was refused.
    bool refuses(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        const bool refused = limit_bytes_ != 0 && (bytes > limit_bytes_ || in_use_bytes_ > limit_bytes_ - bytes);
        largest_refused_bytes_ = refused ? std::max(largest_refused_bytes_, bytes) : largest_refused_bytes_;
        return refused;
    }

    void add(void* pointer, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        allocations_[pointer] = bytes;
        in_use_bytes_ += bytes;
    }

    void remove(void* pointer) {
        const std::lock_guard lock(mutex_);
        if (const auto found = allocations_.find(pointer); found != allocations_.end()) {
            in_use_bytes_ -= found->second;
            allocations_.erase(found);
        }
    }

    // With a limit: what of it is free, and the limit itself.
    void restrict(std::size_t& free_bytes, std::size_t& total_bytes) {
        const std::lock_guard lock(mutex_);
        if (limit_bytes_ != 0) {
            free_bytes = std::min(free_bytes, limit_bytes_ - std::min(limit_bytes_, in_use_bytes_));
            total_bytes = std::min(total_bytes, limit_bytes_);
        }
    }

private:
    std::mutex mutex_;
    std::size_t limit_bytes_ = 0;  // 0: none
    std::size_t in_use_bytes_ = 0;
    std::size_t largest_refused_bytes_ = 0;
    std::map<void*, std::size_t> allocations_;
};

Budget& budget() {
    static Budget instance;
    return instance;
}

// Allocates by `allocate` unless the budget forbids it.
template <typename Allocate>
cudaError_t within_budget(void** pointer, std::size_t bytes, Allocate allocate) {
    if (budget().refuses(bytes)) {
        return cudaErrorMemoryAllocation;
    }
    const cudaError_t error = allocate();
    if (error == cudaSuccess && pointer != nullptr && *pointer != nullptr) {
        budget().add(*pointer, bytes);
    }
    return error;
}

}  // namespace

extern "C" {

cudaError_t __real_cudaMalloc(void**, std::size_t);
cudaError_t __real_cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
cudaError_t __real_cudaMalloc3D(cudaPitchedPtr*, cudaExtent);
cudaError_t __real_cudaMallocManaged(void**, std::size_t, unsigned int);
cudaError_t __real_cudaMallocAsync(void**, std::size_t, cudaStream_t);
cudaError_t __real_cudaFree(void*);
cudaError_t __real_cudaFreeAsync(void*, cudaStream_t);
cudaError_t __real_cudaMemGetInfo(std::size_t*, std::size_t*);

cudaError_t __wrap_cudaMalloc(void** pointer, std::size_t bytes) {
    return within_budget(pointer, bytes, [&] { return __real_cudaMalloc(pointer, bytes); });
}

cudaError_t __wrap_cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
    return within_budget(pointer, width * height,
                         [&] { return __real_cudaMallocPitch(pointer, pitch, width, height); });
}

cudaError_t __wrap_cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
    void** const address = pointer == nullptr ? nullptr : &pointer->ptr;
    return within_budget(address, extent.width * extent.height * extent.depth,
                         [&] { return __real_cudaMalloc3D(pointer, extent); });
}

cudaError_t __wrap_cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags) {
    return within_budget(pointer, bytes, [&] { return __real_cudaMallocManaged(pointer, bytes, flags); });
}

cudaError_t __wrap_cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
    return within_budget(pointer, bytes, [&] { return __real_cudaMallocAsync(pointer, bytes, stream); });
}

cudaError_t __wrap_cudaFree(void* pointer) {
    budget().remove(pointer);
    return __real_cudaFree(pointer);
}

cudaError_t __wrap_cudaFreeAsync(void* pointer, cudaStream_t stream) {
    budget().remove(pointer);
    return __real_cudaFreeAsync(pointer, stream);
}

cudaError_t __wrap_cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    const cudaError_t error = __real_cudaMemGetInfo(free_bytes, total_bytes);
    if (error == cudaSuccess) {
        budget().restrict(*free_bytes, *total_bytes);
    }
    return error;
}

uint64_t device_hooks_memory_budget(uint64_t bytes) { return budget().set(bytes); }

}  // extern "C"
