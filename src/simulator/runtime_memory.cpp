// The runtime API: memory.
#include "simulator/api_call.hpp"
#include "simulator/runtime_memory.hpp"

using simulator::ApiCall;
using simulator::MemoryKind;
using simulator::profile;
using simulator::Rows;
using simulator::Time;

namespace {

constexpr unsigned pinned_flags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned registration_flags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;

cudaError_t allocate_pinned(const char* name, void** pointer, size_t bytes, unsigned flags,
                            std::uintptr_t called_from) {
    ApiCall call(name, called_from, Time{}, ApiCall::DuringCapture::refused);
    if ((flags & ~pinned_flags) != 0) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    return call.result(call.device().allocate(MemoryKind::pinned, pointer, bytes, called_from, flags));
}

// Giving memory back always happens; an injected failure stands for the error of earlier asynchronous work that such a
// call may return as well.
cudaError_t give_back(const char* name, MemoryKind kind, void* pointer, std::uintptr_t called_from) {
    ApiCall call(name, called_from, Time{}, ApiCall::DuringCapture::refused);
    if (pointer == nullptr) {
        return call.result(cudaSuccess);
    }
    const bool fails = call.fails();
    if (call.refused()) {
        return call.result(cudaErrorNotPermitted);
    }
    const cudaError_t error = call.device().release(kind, pointer, called_from);
    return call.result(fails && error == cudaSuccess ? cudaErrorLaunchFailure : error);
}

}  // namespace

namespace simulator {

cudaError_t copy_call(const char* name, const Rows& to, const Rows& from, cudaMemcpyKind kind, cudaStream_t stream,
                      bool asynchronous, std::uintptr_t called_from) {
    ApiCall call(name, called_from, profile().host.copy_async);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    return call.result(call.device().copy({to, from, kind, in, asynchronous, name, called_from}));
}

cudaError_t set_call(const char* name, const Rows& to, int value, cudaStream_t stream, bool asynchronous,
                     std::uintptr_t called_from) {
    ApiCall call(name, called_from, Time{});
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    return call.result(call.device().set({to, value, in, asynchronous, name, called_from}));
}

}  // namespace simulator

using simulator::copy_call;
using simulator::set_call;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    ApiCall call("cudaMalloc", SIMULATOR_CALLED_FROM, Time{},
                 ApiCall::DuringCapture::refused);
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    return call.result(call.device().allocate(MemoryKind::device, pointer, bytes, SIMULATOR_CALLED_FROM));
}

cudaError_t cudaFree(void* pointer) {
    return give_back("cudaFree", MemoryKind::device, pointer, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
    return allocate_pinned("cudaHostAlloc", pointer, bytes, flags, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
    return allocate_pinned("cudaMallocHost", pointer, bytes, cudaHostAllocDefault, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaFreeHost(void* pointer) {
    return give_back("cudaFreeHost", MemoryKind::pinned, pointer, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
    ApiCall call("cudaHostRegister", SIMULATOR_CALLED_FROM, Time{}, ApiCall::DuringCapture::refused);
    if ((flags & ~registration_flags) != 0) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    return call.result(call.device().register_host(pointer, bytes, flags, SIMULATOR_CALLED_FROM));
}

cudaError_t cudaHostUnregister(void* pointer) {
    return give_back("cudaHostUnregister", MemoryKind::registered, pointer, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    ApiCall call("cudaMemGetInfo", SIMULATOR_CALLED_FROM, profile().host.other);
    if (free_bytes == nullptr || total_bytes == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *free_bytes = call.device().free_device_bytes();
    *total_bytes = call.device().device_memory_limit_bytes();
    return call.result(cudaSuccess);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return copy_call("cudaMemcpy", Rows(to, bytes), Rows(from, bytes), kind, nullptr, false, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_call("cudaMemcpyAsync", Rows(to, bytes), Rows(from, bytes), kind, stream, true, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
    return set_call("cudaMemset", Rows(pointer, bytes), value, nullptr, false, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
    return set_call("cudaMemsetAsync", Rows(pointer, bytes), value, stream, true, SIMULATOR_CALLED_FROM);
}

}  // extern "C"
