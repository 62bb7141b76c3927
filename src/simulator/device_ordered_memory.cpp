// Memory that is allocated and freed in stream order, and managed memory that moves in stream order.
#include <utility>

#include "simulator/issue.hpp"

namespace simulator {
namespace {

std::uintptr_t address_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

// To the ordering checker both are writes of all bytes: a use that is not ordered behind the allocation, or before the
// free, conflicts with them.
SimulatedDevice::Issue SimulatedDevice::memory_issue(OperationRole role, const char* call, const Allocation& allocation,
                                                     std::uintptr_t called_from) {
    Issue issue;
    issue.operation.name = call;
    issue.called_from = called_from;
    issue.role = role;
    const Rows all(reinterpret_cast<const void*>(allocation.begin), allocation.bytes);
    issue.start = [this, all](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        checker_.operation_accesses(id, epoch, past, all.accesses(Access::write));
        return KernelCost{};
    };
    issue.finish = [] {};
    return issue;
}

cudaError_t SimulatedDevice::allocate_in_stream(void** pointer, std::size_t bytes, Stream& stream,
                                                std::uintptr_t called_from) {
    if (pointer == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    if (stream.capture != nullptr) {
        refuse_in_capture(stream);
        return cudaErrorNotSupported;  // a graph that allocates
    }
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    const auto begin = take_memory(MemoryKind::device, bytes, called_from);
    if (!begin) {
        return cudaErrorMemoryAllocation;
    }
    if (!std::exchange(pool_holds_memory_, true)) {
        spend(profile_.host.device_allocation + profile_.host.device_free);
    }
    issue(memory_issue(OperationRole::allocation, "cudaMallocAsync", *memory_.find(*begin), called_from),
          stream);
    *pointer = reinterpret_cast<void*>(*begin);
    return cudaSuccess;
}

cudaError_t SimulatedDevice::free_in_stream(void* pointer, Stream& stream, std::uintptr_t called_from) {
    const std::uintptr_t begin = address_of(pointer);
    const Allocation* const found = memory_.find(begin);
    if (found == nullptr || found->begin != begin || found->stream_ordered_free) {
        if (found == nullptr ? memory_.find_freed(begin) != nullptr : found->stream_ordered_free) {
            add_finding("use_after_free", device::Severity::error, called_from);
        }
        return cudaErrorInvalidValue;
    }
    if (found->kind != MemoryKind::device) {
        return found->kind == MemoryKind::managed ? cudaErrorNotSupported : cudaErrorInvalidValue;
    }
    if (stream.capture != nullptr) {
        refuse_in_capture(stream);
        return cudaErrorNotSupported;
    }
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    Issue free = memory_issue(OperationRole::free, "cudaFreeAsync", *found, called_from);
    free.finish = [this, begin, called_from] { memory_.free(MemoryKind::device, begin, called_from); };
    memory_.free_is_issued(begin);
    issue(std::move(free), stream);
    return cudaSuccess;
}

cudaError_t SimulatedDevice::prefetch(const void* pointer, std::size_t bytes, bool to_device, Stream& stream,
                                      std::uintptr_t called_from) {
    Allocation* const found = memory_.find(address_of(pointer));
    if (bytes == 0 || found == nullptr || found->kind != MemoryKind::managed ||
        address_of(pointer) + bytes > found->end()) {
        return cudaErrorInvalidValue;
    }
    if (stream.capture != nullptr) {
        return refuse_in_capture(stream);
    }
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (found->on_device == to_device) {
        return cudaSuccess;  // it is there
    }
    found->on_device = to_device;
    Issue issue;
    issue.operation.kind = to_device ? device::OperationKind::host_to_device : device::OperationKind::device_to_host;
    issue.operation.name = "cudaMemPrefetchAsync";
    issue.operation.bytes = bytes;
    issue.operation.host_memory = device::HostMemory::pinned;
    issue.operation.asynchronous = true;
    issue.called_from = called_from;
    issue.task.resource = to_device ? Resource::copy_to_device : Resource::copy_to_host;
    issue.task.bytes = static_cast<double>(bytes);
    issue.task.bytes_per_second = (to_device ? profile_.host_to_device : profile_.device_to_host).pinned_bytes_per_second;
    // The bytes stay the same wherever they are: it conflicts with no access.
    issue.start = [](std::uint64_t, Epoch, const VectorClock&) { return KernelCost{}; };
    issue.finish = [] {};
    this->issue(std::move(issue), stream);
    return cudaSuccess;
}

}  // namespace simulator
