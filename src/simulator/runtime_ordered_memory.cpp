// The runtime API: memory allocated in stream order, managed memory. What is an error was seen on an H200 (CUDA 13.0).
#include "simulator/api_call.hpp"

using simulator::ApiCall;
using simulator::MemoryKind;
using simulator::profile;
using simulator::Stream;

namespace {

// Where a prefetch or an advice wants memory to be.
cudaError_t check_location(cudaMemLocation location) {
    switch (location.type) {
        case cudaMemLocationTypeHost:
            return cudaSuccess;
        case cudaMemLocationTypeDevice:
            return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
        case cudaMemLocationTypeHostNuma:
        case cudaMemLocationTypeHostNumaCurrent:
            return cudaErrorNotSupported;
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    ApiCall call("cudaMallocAsync", SIMULATOR_CALLED_FROM, profile().host.ordered_allocation);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    return call.result(call.device().allocate_in_stream(pointer, bytes, *in, SIMULATOR_CALLED_FROM));
}

// Like every call that gives something back, it does so even when fault injection lets it fail.
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    ApiCall call("cudaFreeAsync", SIMULATOR_CALLED_FROM, profile().host.ordered_allocation);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (pointer == nullptr) {
        return call.result(cudaSuccess);
    }
    const bool fails = call.fails();
    if (call.refused()) {
        return call.result(cudaErrorNotPermitted);
    }
    const cudaError_t error = call.device().free_in_stream(pointer, *in, SIMULATOR_CALLED_FROM);
    return call.result(fails && error == cudaSuccess ? cudaErrorLaunchFailure : error);
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
    ApiCall call("cudaMallocManaged", SIMULATOR_CALLED_FROM, simulator::Time{},
                 ApiCall::DuringCapture::refused);
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    return call.result(call.device().allocate(MemoryKind::managed, pointer, bytes, SIMULATOR_CALLED_FROM));
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream) {
    ApiCall call("cudaMemPrefetchAsync", SIMULATOR_CALLED_FROM, profile().host.copy_async);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    const cudaError_t error = flags != 0 ? cudaErrorInvalidValue : check_location(location);
    if (error != cudaSuccess) {
        return call.result(error);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    const bool to_device = location.type == cudaMemLocationTypeDevice;
    return call.result(call.device().prefetch(pointer, bytes, to_device, *in, SIMULATOR_CALLED_FROM));
}

// Advice changes no result, and here no time: managed memory moves only when it is prefetched.
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
    ApiCall call("cudaMemAdvise", SIMULATOR_CALLED_FROM, profile().host.other);
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    const simulator::Allocation* const found = call.device().allocation_of(pointer);
    const bool managed = found != nullptr && found->kind == MemoryKind::managed &&
                         bytes <= found->end() - reinterpret_cast<std::uintptr_t>(pointer);
    const bool known = advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy;
    return call.result(managed && known && bytes > 0 ? check_location(location) : cudaErrorInvalidValue);
}

}  // extern "C"
