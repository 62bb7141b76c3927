// The runtime API: what a pointer points to. The answers were seen on an H200 (CUDA 13.0).
#include "simulator/api_call.hpp"

using simulator::Allocation;
using simulator::ApiCall;
using simulator::MemoryKind;
using simulator::profile;

namespace {

bool is_pinned(const Allocation* allocation) {
    return allocation != nullptr &&
           (allocation->kind == MemoryKind::pinned || allocation->kind == MemoryKind::registered);
}

cudaMemoryType type_of(const Allocation& allocation) {
    switch (allocation.kind) {
        case MemoryKind::device:
            return cudaMemoryTypeDevice;
        case MemoryKind::managed:
            return cudaMemoryTypeManaged;
        default:
            return cudaMemoryTypeHost;
    }
}

}  // namespace

extern "C" {

// With unified addressing every pinned buffer is mapped, at the host's own address.
cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int flags) {
    ApiCall call("cudaHostGetDevicePointer", SIMULATOR_CALLED_FROM, profile().host.other);
    if (device_pointer == nullptr || flags != 0 || !is_pinned(call.device().allocation_of(host_pointer))) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *device_pointer = host_pointer;
    return call.result(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* pointer) {
    ApiCall call("cudaHostGetFlags", SIMULATOR_CALLED_FROM, profile().host.other);
    const Allocation* const found = call.device().allocation_of(pointer);
    if (flags == nullptr || !is_pinned(found)) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    const unsigned write_combined = found->kind == MemoryKind::pinned ? found->flags & cudaHostAllocWriteCombined : 0;
    *flags = cudaHostAllocMapped | write_combined;
    return call.result(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    ApiCall call("cudaPointerGetAttributes", SIMULATOR_CALLED_FROM, profile().host.other);
    if (attributes == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    void* const address = const_cast<void*>(pointer);
    const Allocation* const found = call.device().allocation_of(pointer);
    if (found == nullptr || found->stream_ordered_free) {
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
    } else {
        *attributes = {type_of(*found), 0, address, found->kind == MemoryKind::device ? nullptr : address};
    }
    return call.result(cudaSuccess);
}

}  // extern "C"
