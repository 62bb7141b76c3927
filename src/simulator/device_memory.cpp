// Memory of the simulated device: allocation, copies, memsets.
#include <algorithm>
#include <cstring>
#include <utility>

#include "simulator/issue.hpp"
#include "simulator/ordering/instrumentation.hpp"

namespace simulator {
namespace {

// cudaMemcpyAsync stages pageable memory up to this size without waiting for the stream (seen on an H200). cudaMemcpy
// waits for its stream whatever the size.
constexpr std::size_t staged_at_once_bytes = 64 * 1024;

std::uintptr_t address_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

Time time_for(double bytes, double bytes_per_second) {
    return Time(static_cast<std::int64_t>(bytes / bytes_per_second * 1e9));
}

const char* direction_name(cudaMemcpyKind kind) {
    constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                     "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
    return names[kind];
}

AccessInterval reads(const void* begin, std::size_t bytes) {
    return {address_of(begin), address_of(begin) + bytes, Access::read, 0};
}

AccessInterval writes(const void* begin, std::size_t bytes) {
    return {address_of(begin), address_of(begin) + bytes, Access::write, 0};
}

}  // namespace

// The bytes of a copy between its virtual start and its virtual end. What was not there at the start, or has changed
// by the end, arrives as poison: a source that is written meanwhile never gives the right answer by luck.
class SimulatedDevice::CopyEffect {
public:
    explicit CopyEffect(const CopyRequest& request) : to_(request.to), from_(request.from), bytes_(request.bytes) {}

    // A pageable source is staged at the call, so that it may be reused at once.
    void stage() {
        take();
        staged_ = true;
    }

    void start() {
        if (!staged_) {
            take();
        }
        std::memset(to_, poison_byte, bytes_);
    }

    void finish() {
        if (!staged_ && std::memcmp(taken_.data(), from_, bytes_) != 0) {
            const auto* const now = static_cast<const unsigned char*>(from_);
            for (std::size_t i = 0; i < bytes_; ++i) {
                taken_[i] = taken_[i] == now[i] ? taken_[i] : poison_byte;
            }
        }
        std::memcpy(to_, taken_.data(), bytes_);
        taken_ = {};
    }

private:
    void take() {
        const auto* const source = static_cast<const unsigned char*>(from_);
        taken_.assign(source, source + bytes_);
    }

    void* to_;
    const void* from_;
    std::size_t bytes_;
    bool staged_ = false;
    std::vector<unsigned char> taken_;
};

std::size_t SimulatedDevice::device_memory_limit_bytes() const {
    const std::size_t all = profile_.memory_bytes;
    return memory_budget_bytes_ == 0 ? all : std::min(all, memory_budget_bytes_);
}

std::size_t SimulatedDevice::free_device_bytes() const {
    const std::size_t limit = device_memory_limit_bytes();
    return limit - std::min(limit, memory_.device_bytes_in_use());
}

std::size_t SimulatedDevice::set_memory_budget(std::size_t bytes) {
    memory_budget_bytes_ = bytes;
    return std::exchange(largest_refused_bytes_, 0);
}

cudaError_t SimulatedDevice::allocate(MemoryKind kind, void** pointer, std::size_t bytes, std::uintptr_t called_from) {
    if (pointer == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (kind == MemoryKind::device) {
        wait_for_everything();  // documented, but not to be relied on: an H200 does not wait here
    }
    if (bytes == 0) {
        *pointer = nullptr;
        return cudaSuccess;
    }
    const auto begin = memory_.allocate(kind, bytes, device_memory_limit_bytes(), called_from);
    if (!begin) {
        if (kind == MemoryKind::device) {
            largest_refused_bytes_ = std::max(largest_refused_bytes_, bytes);
        }
        return cudaErrorMemoryAllocation;
    }
    *pointer = reinterpret_cast<void*>(*begin);
    return cudaSuccess;
}

cudaError_t SimulatedDevice::release(MemoryKind kind, void* pointer, std::uintptr_t called_from) {
    synchronize_all();  // cudaFree synchronizes across all streams; freeing pinned memory waits for its copies
    const auto gone = memory_.free(kind, address_of(pointer), called_from);
    if (!gone) {
        if (memory_.find_freed(address_of(pointer)) != nullptr) {
            add_finding("use_after_free", device::Severity::error, called_from);
        }
        return kind == MemoryKind::registered ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue;
    }
    checker_.forget(gone->begin, gone->end());
    if (kind == MemoryKind::registered) {
        remove_tracked_range({gone->begin, gone->end()});
    }
    return cudaSuccess;
}

cudaError_t SimulatedDevice::register_host(void* pointer, std::size_t bytes, std::uintptr_t called_from) {
    if (pointer == nullptr || bytes == 0) {
        return cudaErrorInvalidValue;
    }
    if (memory_.pinned_arena().contains(address_of(pointer))) {
        return cudaErrorInvalidValue;
    }
    if (!memory_.register_host(address_of(pointer), bytes, called_from)) {
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    add_tracked_range({address_of(pointer), address_of(pointer) + bytes});
    return cudaSuccess;
}

// --- copies ---

cudaError_t SimulatedDevice::check_bounds(const void* pointer, const CopyRequest& request) {
    const std::uintptr_t begin = address_of(pointer);
    if (memory_.kind_of(begin) == MemoryKind::pageable && !memory_.pinned_arena().contains(begin)) {
        return cudaSuccess;  // ordinary memory: its bounds are not known
    }
    const Allocation* const found = memory_.find(begin);
    if (found == nullptr) {
        const bool freed = memory_.find_freed(begin) != nullptr;
        add_finding(freed ? "use_after_free" : "copy_out_of_bounds", device::Severity::error, request.called_from,
                    {{"bytes", std::to_string(request.bytes)}, {"allocation_bytes", "0"}});
        return cudaErrorInvalidValue;
    }
    if (begin + request.bytes > found->end()) {
        add_finding("copy_out_of_bounds", device::Severity::error, request.called_from,
                    {{"bytes", std::to_string(request.bytes)}, {"allocation_bytes", std::to_string(found->bytes)}});
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t SimulatedDevice::check_copy(const CopyRequest& request, cudaMemcpyKind& direction) {
    if (request.to == nullptr || request.from == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    const bool to_device = memory_.is_device(address_of(request.to));
    const bool from_device = memory_.is_device(address_of(request.from));
    direction = from_device ? (to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost)
                            : (to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
    if (request.kind != cudaMemcpyDefault && request.kind != direction) {
        add_finding("wrong_copy_direction", device::Severity::error, request.called_from,
                    {{"given", direction_name(request.kind)}, {"found", direction_name(direction)}});
        return cudaErrorInvalidValue;
    }
    const cudaError_t error = check_bounds(request.to, request);
    return error != cudaSuccess ? error : check_bounds(request.from, request);
}

cudaError_t SimulatedDevice::copy(const CopyRequest& request) {
    if (request.bytes == 0) {
        return cudaSuccess;
    }
    cudaMemcpyKind direction = cudaMemcpyDefault;
    if (const cudaError_t error = check_copy(request, direction); error != cudaSuccess) {
        return error;
    }
    switch (direction) {
        case cudaMemcpyHostToHost:
            return copy_on_host(request);
        case cudaMemcpyDeviceToDevice:
            return copy_on_device(request);
        default:
            return copy_between_host_and_device(request, direction);
    }
}

void SimulatedDevice::poison_destination(const CopyRequest& request) {
    // At issue, so that reading too early shows: unless an earlier copy still has to read these bytes.
    const std::uintptr_t begin = address_of(request.to);
    const auto first = pending_sources_.lower_bound(begin - std::min(begin, largest_pending_source_));
    const auto last = pending_sources_.lower_bound(begin + request.bytes);
    const bool read =
        std::any_of(first, last, [begin](const auto& source) { return source.first + source.second > begin; });
    if (!read) {
        std::memset(request.to, poison_byte, request.bytes);
    }
}

void SimulatedDevice::watch_pageable(const void* begin, std::size_t bytes) {
    if (watched_pageable_.emplace(address_of(begin), bytes).second) {
        add_tracked_range({address_of(begin), address_of(begin) + bytes});
    }
}

cudaError_t SimulatedDevice::copy_between_host_and_device(const CopyRequest& request, cudaMemcpyKind direction) {
    const bool to_device = direction == cudaMemcpyHostToDevice;
    const void* const host = to_device ? request.from : request.to;
    const bool pageable = memory_.kind_of(address_of(host)) == MemoryKind::pageable;
    const device::LinkProfile& link = to_device ? profile_.host_to_device : profile_.device_to_host;
    const bool staged = pageable && to_device;

    Issue issue;
    issue.operation.kind = to_device ? device::OperationKind::host_to_device : device::OperationKind::device_to_host;
    issue.operation.name = request.call;
    issue.operation.bytes = request.bytes;
    issue.operation.host_memory = pageable ? device::HostMemory::pageable : device::HostMemory::pinned;
    issue.operation.asynchronous = request.asynchronous;
    issue.called_from = request.called_from;
    issue.task.resource = to_device ? Resource::copy_to_device : Resource::copy_to_host;
    issue.task.bytes = static_cast<double>(request.bytes);
    issue.task.bytes_per_second = pageable ? link.pageable_bytes_per_second : link.pinned_bytes_per_second;

    const bool staged_at_once = staged && request.asynchronous && request.bytes <= staged_at_once_bytes;
    const bool host_waits = (!request.asynchronous || pageable) && !staged_at_once;
    const bool promised = !request.asynchronous && !staged;
    issue.waited_for_in_practice = host_waits && !promised;

    const auto effect = std::make_shared<CopyEffect>(request);
    if (staged) {
        trusted_host_access(host, request.bytes, Access::read, request.call, request.called_from);
        effect->stage();
    } else if (!to_device) {
        poison_destination(request);
    }
    auto source = pending_sources_.end();
    if (to_device && !staged) {
        source = pending_sources_.emplace(address_of(host), request.bytes);
        largest_pending_source_ = std::max(largest_pending_source_, request.bytes);
    }
    std::vector<AccessInterval> accesses{writes(request.to, request.bytes)};
    if (!staged) {
        accesses.push_back(reads(request.from, request.bytes));
    }
    issue.start = [this, effect, accesses](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        checker_.operation_accesses(id, epoch, past, accesses);
        effect->start();
        return KernelCost{};
    };
    issue.finish = [this, effect, source] {
        effect->finish();
        if (source != pending_sources_.end()) {
            pending_sources_.erase(source);
        }
    };
    const VectorClock earlier_work = past_of(*request.stream);
    this->issue(std::move(issue), *request.stream);
    if (pageable && !to_device) {
        watch_pageable(host, request.bytes);
    }
    if (staged_at_once) {
        spend(time_for(static_cast<double>(request.bytes), profile_.host.host_copy_bytes_per_second));
    } else if (host_waits) {
        wait_for(request.stream->last_task);
    }
    if (promised) {
        join_host(request.stream->clock);
    } else if (!request.asynchronous) {
        join_host(earlier_work);  // cudaMemcpy from pageable memory: a stream synchronization, then staging
    }
    return cudaSuccess;
}

cudaError_t SimulatedDevice::copy_on_device(const CopyRequest& request) {
    Issue issue;
    issue.operation.kind = device::OperationKind::device_to_device;
    issue.operation.name = request.call;
    issue.operation.bytes = request.bytes;
    issue.operation.asynchronous = request.asynchronous;
    issue.called_from = request.called_from;
    issue.task.resource = Resource::device_memory;
    issue.task.duration =
        profile_.kernel_overhead + time_for(2.0 * static_cast<double>(request.bytes), profile_.memory_bytes_per_second);
    const auto effect = std::make_shared<CopyEffect>(request);
    issue.start = [this, effect, request](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        checker_.operation_accesses(id, epoch, past,
                                    {reads(request.from, request.bytes), writes(request.to, request.bytes)});
        effect->start();
        return KernelCost{};
    };
    issue.finish = [effect] { effect->finish(); };
    this->issue(std::move(issue), *request.stream);
    return cudaSuccess;
}

cudaError_t SimulatedDevice::copy_on_host(const CopyRequest& request) {
    // Host to host: done when the call returns, after the earlier work of its stream.
    synchronize(*request.stream);
    trusted_host_access(request.from, request.bytes, Access::read, request.call, request.called_from);
    trusted_host_access(request.to, request.bytes, Access::write, request.call, request.called_from);
    std::memmove(request.to, request.from, request.bytes);
    spend(time_for(static_cast<double>(request.bytes), profile_.host.host_copy_bytes_per_second));
    return cudaSuccess;
}

cudaError_t SimulatedDevice::set(void* pointer, int value, std::size_t bytes, Stream& stream, bool asynchronous,
                                 const char* call, std::uintptr_t called_from) {
    if (bytes == 0) {
        return cudaSuccess;
    }
    const MemoryKind kind = memory_.kind_of(address_of(pointer));
    if (pointer == nullptr || kind == MemoryKind::pageable) {
        return cudaErrorInvalidValue;
    }
    CopyRequest request{.to = pointer, .from = pointer, .bytes = bytes, .call = call, .called_from = called_from};
    if (const cudaError_t error = check_bounds(pointer, request); error != cudaSuccess) {
        return error;
    }
    Issue issue;
    issue.operation.kind = device::OperationKind::memset;
    issue.operation.name = call;
    issue.operation.bytes = bytes;
    issue.operation.asynchronous = asynchronous;
    issue.called_from = called_from;
    issue.task.resource = Resource::device_memory;
    issue.task.duration =
        profile_.kernel_overhead + time_for(static_cast<double>(bytes), profile_.memory_bytes_per_second);
    issue.start = [this, pointer, bytes](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        checker_.operation_accesses(id, epoch, past, {writes(pointer, bytes)});
        return KernelCost{};
    };
    issue.finish = [pointer, value, bytes] { std::memset(pointer, value, bytes); };
    this->issue(std::move(issue), stream);
    if (!asynchronous && kind != MemoryKind::device) {
        wait_for(stream.last_task);  // cudaMemset on pinned host memory is done when it returns
        join_host(stream.clock);
    }
    return cudaSuccess;
}

}  // namespace simulator
