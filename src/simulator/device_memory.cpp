// Memory of the simulated device: allocation, copies, memsets.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "simulator/device_variables.hpp"
#include "simulator/issue.hpp"
#include "simulator/ordering/instrumentation.hpp"

namespace simulator {
namespace {

// cudaMemcpyAsync stages pageable memory up to this size without waiting for the stream (seen on an H200). cudaMemcpy
// waits for its stream whatever the size.
constexpr std::size_t staged_at_once_bytes = 64 * 1024;

// The driver sets few bytes without a kernel. Seen on an H200: 4 KiB, but not 256 KiB.
constexpr std::size_t small_memset_bytes = 64 * 1024;

constexpr double staging_buffer_bytes = 1024 * 1024;

std::uintptr_t address_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

Time time_for(double bytes, double bytes_per_second) {
    return Time(static_cast<std::int64_t>(bytes / bytes_per_second * 1e9));
}

// Managed memory may be anywhere: `none`, as a GPU's trace has it.
device::HostMemory host_memory(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::pageable:
            return device::HostMemory::pageable;
        case MemoryKind::pinned:
            return device::HostMemory::pinned;
        case MemoryKind::registered:
            return device::HostMemory::registered;
        case MemoryKind::managed:
        case MemoryKind::device:
            break;
    }
    return device::HostMemory::none;
}

// Whether the page of this address exists. Small blocks that were freed keep theirs; large ones do not.
bool is_mapped(std::uintptr_t address) {
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(address / page_bytes * page_bytes), 1, &resident) == 0;
}

const char* direction_name(cudaMemcpyKind kind) {
    constexpr const char* names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                     "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
    return names[kind];
}

}  // namespace

// The bytes of a copy between its virtual start and its virtual end. What was not there at the start, or has changed
// by the end, arrives as poison: a source that is written meanwhile never gives the right answer by luck.
class SimulatedDevice::CopyEffect {
public:
    CopyEffect(const Rows& to, const Rows& from) : to_(to), from_(from) {}

    // A pageable source is staged at the call, so that it may be reused at once.
    void stage() {
        take();
        staged_ = true;
    }

    void start() {
        if (!staged_) {
            take();
        }
        to_.for_each([](unsigned char* row, std::size_t bytes) { std::memset(row, poison_byte, bytes); });
    }

    void finish() {
        if (!staged_) {
            poison_what_changed();
        }
        const unsigned char* taken = taken_.data();
        to_.for_each([&](unsigned char* row, std::size_t bytes) {
            std::memcpy(row, taken, bytes);
            taken += bytes;
        });
        taken_ = {};
    }

private:
    void take() {
        taken_.clear();
        taken_.reserve(from_.bytes());
        from_.for_each(
            [this](const unsigned char* row, std::size_t bytes) { taken_.insert(taken_.end(), row, row + bytes); });
    }

    void poison_what_changed() {
        unsigned char* taken = taken_.data();
        from_.for_each([&](const unsigned char* row, std::size_t bytes) {
            if (std::memcmp(taken, row, bytes) != 0) {
                for (std::size_t i = 0; i < bytes; ++i) {
                    taken[i] = taken[i] == row[i] ? taken[i] : poison_byte;
                }
            }
            taken += bytes;
        });
    }

    Rows to_;
    Rows from_;
    bool staged_ = false;
    std::vector<unsigned char> taken_;
};

std::size_t SimulatedDevice::device_memory_limit_bytes() const {
    const std::size_t all = profile_.memory_bytes;
    const std::size_t limit = memory_budget_bytes_ == 0 ? all : std::min(all, memory_budget_bytes_);
    return limit - std::min(limit, device_variable_bytes());
}

cudaError_t SimulatedDevice::refusal_over_budget() {
    const std::size_t bytes = memory_.device_bytes_in_use() + device_variable_bytes();
    if (memory_budget_bytes_ == 0 || bytes <= memory_budget_bytes_) {
        return cudaSuccess;
    }
    largest_refused_bytes_ = std::max(largest_refused_bytes_, bytes);
    return cudaErrorMemoryAllocation;
}

std::size_t SimulatedDevice::free_device_bytes() const {
    const std::size_t limit = device_memory_limit_bytes();
    return limit - std::min(limit, memory_.device_bytes_in_use());
}

std::size_t SimulatedDevice::set_memory_budget(std::size_t bytes) {
    memory_budget_bytes_ = bytes;
    return std::exchange(largest_refused_bytes_, 0);
}

const Allocation* SimulatedDevice::allocation_of(const void* pointer) const {
    return memory_.find(address_of(pointer));
}

std::optional<std::uintptr_t> SimulatedDevice::take_memory(MemoryKind kind, std::size_t bytes,
                                                           std::uintptr_t called_from) {
    const auto begin = memory_.allocate(kind, bytes, device_memory_limit_bytes(), called_from);
    if (begin) {
        checker_.forget(*begin, *begin + bytes);  // what its former owner did there is no longer of interest
    } else if (kind != MemoryKind::pinned) {
        largest_refused_bytes_ = std::max(largest_refused_bytes_, bytes);
    }
    return begin;
}

cudaError_t SimulatedDevice::allocate(MemoryKind kind, void** pointer, std::size_t bytes, std::uintptr_t called_from,
                                      unsigned flags) {
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
    const auto begin = take_memory(kind, bytes, called_from);
    if (!begin) {
        return cudaErrorMemoryAllocation;
    }
    spend(kind == MemoryKind::pinned ? allocation_cost_.pin(bytes)
                                     : allocation_cost_.take_device_memory(*begin, bytes));
    memory_.find(*begin)->flags = flags;
    *pointer = reinterpret_cast<void*>(*begin);
    return cudaSuccess;
}

Time SimulatedDevice::cost_of_release(const Allocation& allocation) {
    switch (allocation.kind) {
        case MemoryKind::pinned:
            return allocation_cost_.free_pinned(allocation.bytes);
        case MemoryKind::registered:
            return allocation_cost_.unregister_host(allocation.bytes);
        default:
            return allocation_cost_.give_device_memory(allocation.begin, allocation.bytes);
    }
}

cudaError_t SimulatedDevice::release(MemoryKind kind, void* pointer, std::uintptr_t called_from) {
    synchronize_all();  // cudaFree synchronizes across all streams; freeing pinned memory waits for its copies
    const Allocation* const found = allocation_of(pointer);
    const bool managed = kind == MemoryKind::device && found != nullptr && found->kind == MemoryKind::managed;
    const auto gone = memory_.free(managed ? MemoryKind::managed : kind, address_of(pointer), called_from);
    if (!gone) {
        if (memory_.find_freed(address_of(pointer)) != nullptr) {
            add_finding("use_after_free", device::Severity::error, called_from);
        }
        return kind == MemoryKind::registered ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue;
    }
    spend(cost_of_release(*gone));
    checker_.forget(gone->begin, gone->end());
    if (kind == MemoryKind::registered) {
        if (!is_mapped(gone->begin)) {
            add_finding("use_after_free", device::Severity::error, called_from);
        }
        remove_tracked_range({gone->begin, gone->end()});
    }
    return cudaSuccess;
}

cudaError_t SimulatedDevice::register_host(void* pointer, std::size_t bytes, unsigned flags,
                                           std::uintptr_t called_from) {
    if (pointer == nullptr || bytes == 0) {
        return cudaErrorInvalidValue;
    }
    if (memory_.pinned_arena().contains(address_of(pointer))) {
        return cudaErrorInvalidValue;
    }
    if (!memory_.register_host(address_of(pointer), bytes, called_from)) {
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    spend(allocation_cost_.register_host(bytes));
    memory_.find(address_of(pointer))->flags = flags;
    add_tracked_range({address_of(pointer), address_of(pointer) + bytes});
    return cudaSuccess;
}

// --- copies ---

cudaError_t SimulatedDevice::check_bounds(const Rows& rows, std::uintptr_t called_from) {
    const std::uintptr_t begin = rows.begin();
    if (memory_.kind_of(begin) == MemoryKind::pageable && !memory_.pinned_arena().contains(begin)) {
        return cudaSuccess;  // ordinary memory: its bounds are not known
    }
    const Allocation* const found = allocation_of(reinterpret_cast<const void*>(begin));
    if (found == nullptr || found->stream_ordered_free) {
        const bool freed = found != nullptr || memory_.find_freed(begin) != nullptr;
        add_finding(freed ? "use_after_free" : "copy_out_of_bounds", device::Severity::error, called_from,
                    {{"bytes", std::to_string(rows.span())}, {"allocation_bytes", "0"}});
        return cudaErrorInvalidValue;
    }
    if (rows.end() > found->end()) {
        add_finding("copy_out_of_bounds", device::Severity::error, called_from,
                    {{"bytes", std::to_string(rows.span())}, {"allocation_bytes", std::to_string(found->bytes)}});
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t SimulatedDevice::check_copy(const CopyRequest& request, cudaMemcpyKind& direction) {
    if (request.to.begin() == 0 || request.from.begin() == 0) {
        return cudaErrorInvalidValue;
    }
    if (request.kind < cudaMemcpyHostToHost || request.kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    // Managed memory counts as what the call says; without a word, as device memory.
    const bool to_host = request.kind == cudaMemcpyHostToHost || request.kind == cudaMemcpyDeviceToHost;
    const bool from_host = request.kind == cudaMemcpyHostToHost || request.kind == cudaMemcpyHostToDevice;
    const auto on_device = [this](const Rows& rows, bool said_host) {
        const MemoryKind kind = memory_.kind_of(rows.begin());
        return kind == MemoryKind::device || (kind == MemoryKind::managed && !said_host);
    };
    const bool to_device = on_device(request.to, to_host);
    const bool from_device = on_device(request.from, from_host);
    direction = from_device ? (to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost)
                            : (to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
    if (request.kind != cudaMemcpyDefault && request.kind != direction) {
        add_finding("wrong_copy_direction", device::Severity::error, request.called_from,
                    {{"given", direction_name(request.kind)}, {"found", direction_name(direction)}});
        return cudaErrorInvalidValue;
    }
    const cudaError_t error = check_bounds(request.to, request.called_from);
    return error != cudaSuccess ? error : check_bounds(request.from, request.called_from);
}

cudaError_t SimulatedDevice::copy(const CopyRequest& request) {
    if (request.to.bytes() == 0) {
        return cudaSuccess;
    }
    cudaMemcpyKind direction = cudaMemcpyDefault;
    if (const cudaError_t error = check_copy(request, direction); error != cudaSuccess) {
        return error;
    }
    Stream& stream = *request.stream;
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr) {
        return request.asynchronous ? capture_request(request, &SimulatedDevice::copy) : refuse_in_capture(stream);
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

// At issue, so that reading too early shows: unless an earlier copy still has to read these bytes. Returns a number for
// what was poisoned; 0: nothing. Earlier kernels and host functions that read them get what was there before.
std::uint64_t SimulatedDevice::poison_destination(const Rows& rows) {
    return pending_reads_.any_in(rows.begin(), rows.end()) ? 0 : poisoned_at(rows.begin()).poison(rows);
}

PoisonedDestinations& SimulatedDevice::poisoned_at(std::uintptr_t begin) {
    return memory_.pinned_arena().contains(begin) ? poisoned_pinned_ : poisoned_registered_;
}

// Puts back what was in [begin, end) before it was poisoned for copies that have not begun: something that comes before
// them reads or writes there.
void SimulatedDevice::restore_destinations(std::uintptr_t begin, std::uintptr_t end) {
    poisoned_at(begin).restore(begin, end);
}

// What `recorder` sees touching poisoned destinations finds there what was there before. Returns whether there are any.
bool SimulatedDevice::watch_destinations(AccessRecorder& recorder) {
    if (poisoned_pinned_.empty() && poisoned_registered_.empty()) {
        return false;
    }
    const auto [pinned_begin, pinned_end] = poisoned_pinned_.hull();
    const auto [registered_begin, registered_end] = poisoned_registered_.hull();
    const AccessRecorder::Watched pinned{pinned_begin, pinned_end};
    const AccessRecorder::Watched registered{registered_begin, registered_end};
    recorder.watch({pinned, registered}, [this, pinned, registered](std::uintptr_t) {
        const RecordingPaused paused;
        poisoned_pinned_.restore(pinned.begin, pinned.end);
        poisoned_registered_.restore(registered.begin, registered.end);
    });
    return true;
}

void SimulatedDevice::take_for_inputs(const void* address, std::size_t bytes) {
    inputs_are_given_ = true;
    if (bytes > 0 && memory_.kind_of(address_of(address)) == MemoryKind::pageable) {
        watch_pageable(Rows(address, bytes));  // to know who writes there next
    }
}

void SimulatedDevice::judge_results(const void* address, std::size_t bytes) {
    const std::uintptr_t begin = address_of(address);
    if (!inputs_are_given_) {
        return;
    }
    if (const auto written_at = checker_.written_without_copy(begin, begin + bytes)) {
        add_finding("results_without_copy", device::Severity::warning, *written_at);
    }
}

void SimulatedDevice::judge_input(const Rows& host, std::uintptr_t called_from) {
    if (!inputs_are_given_) {
        return;
    }
    if (const auto written_at = checker_.written_by_host(host.begin(), host.end())) {
        add_finding("input_written_by_host", device::Severity::warning, called_from);
    }
}

void SimulatedDevice::watch_pageable(const Rows& rows) {
    if (watched_pageable_.emplace(rows.begin(), rows.span()).second) {
        add_tracked_range({rows.begin(), rows.end()});
    }
}

double SimulatedDevice::memory_rate(double bytes) const {
    return bytes <= static_cast<double>(profile_.l2_cache_bytes) ? profile_.l2_bytes_per_second
                                                                 : profile_.memory_bytes_per_second;
}

double SimulatedDevice::pinned_rate(bool to_device) const {
    return (to_device ? profile_.host_to_device : profile_.device_to_host).pinned_bytes_per_second;
}

double SimulatedDevice::pageable_rate(const Rows& host, bool to_device) {
    const device::LinkProfile& link = to_device ? profile_.host_to_device : profile_.device_to_host;
    const auto bytes = static_cast<double>(host.bytes());
    if (to_device && host.bytes() <= staged_at_once_bytes) {  // one buffer: staged, then sent
        return 1 / (1 / profile_.host.host_copy_bytes_per_second + 1 / link.pinned_bytes_per_second);
    }
    const bool cached = host_cache_.holds(host.begin(), host.bytes());
    const double staged = cached ? link.pageable_bytes_per_second : link.pageable_large_bytes_per_second;
    // The CPU empties one staging buffer while the link fills the next; but it waits for the first. On the way to the
    // device the last one crosses the link while the host goes on.
    const double first = to_device ? 0 : std::min(bytes, staging_buffer_bytes) / link.pinned_bytes_per_second;
    return bytes / (bytes / staged + first);
}

cudaError_t SimulatedDevice::copy_between_host_and_device(const CopyRequest& request, cudaMemcpyKind direction) {
    const bool to_device = direction == cudaMemcpyHostToDevice;
    const Rows& host = to_device ? request.from : request.to;
    const bool pageable = memory_.kind_of(host.begin()) == MemoryKind::pageable;
    const bool staged = pageable && to_device;

    Issue issue;
    issue.operation.kind = to_device ? device::OperationKind::host_to_device : device::OperationKind::device_to_host;
    issue.operation.name = request.call;
    issue.operation.bytes = host.bytes();
    issue.operation.host_memory = host_memory(memory_.kind_of(host.begin()));
    issue.operation.asynchronous = request.asynchronous;
    issue.called_from = request.called_from;
    issue.task.resource = to_device ? Resource::copy_to_device : Resource::copy_to_host;
    issue.task.bytes = static_cast<double>(host.bytes());

    const bool staged_at_once = staged && request.asynchronous && host.bytes() <= staged_at_once_bytes;
    const bool host_waits = (!request.asynchronous || pageable) && !staged_at_once;
    issue.task.bytes_per_second = pageable && !staged_at_once ? pageable_rate(host, to_device) : pinned_rate(to_device);
    const bool promised = !request.asynchronous && !staged;
    issue.waited_for_in_practice = host_waits && !promised;

    if (to_device) {
        judge_input(host, request.called_from);
    }
    const auto effect = std::make_shared<CopyEffect>(request.to, request.from);
    if (staged) {
        if (!request.asynchronous) {
            synchronize(*request.stream);  // documented: a stream synchronization, then the data is staged
        }
        trusted_host_accesses(host.accesses(Access::read, request.called_from), request.call);
        effect->stage();
    }
    const std::uint64_t poisoned = to_device ? 0 : poison_destination(host);
    const bool reads_later = to_device && !staged;
    if (reads_later) {
        pending_reads_.add(host.begin(), host.end());
    }
    std::vector<AccessInterval> accesses = request.to.accesses(Access::write);
    if (!staged) {
        const std::vector<AccessInterval> reads = request.from.accesses(Access::read);
        accesses.insert(accesses.end(), reads.begin(), reads.end());
    }
    issue.start = [this, effect, accesses, poisoned, to = request.to](std::uint64_t id, Epoch epoch,
                                                                      const VectorClock& past) {
        checker_.operation_accesses(id, epoch, past, accesses);
        if (poisoned != 0) {
            poisoned_at(to.begin()).forget(to, poisoned);
        }
        effect->start();
        return KernelCost{};
    };
    issue.finish = [this, effect, host, reads_later, to = request.to] {
        restore_destinations(to.begin(), to.end());
        effect->finish();
        if (reads_later) {
            pending_reads_.remove(host.begin(), host.end());
        }
    };
    this->issue(std::move(issue), *request.stream);
    if (pageable && !to_device) {
        watch_pageable(host);
    }
    const bool small = staged && host.bytes() <= staged_at_once_bytes;
    if (staged_at_once) {
        spend(time_for(static_cast<double>(host.bytes()), profile_.host.host_copy_bytes_per_second));
    } else if (host_waits && small) {
        host_time_ = std::max(host_time_, engine_.run_until_finished(request.stream->last_task));  // it does not sleep
        engine_.advance_to(host_time_);
    } else if (host_waits) {
        wait_for(request.stream->last_task);
    }
    if (promised) {
        join_host(request.stream->clock);
    }
    return cudaSuccess;
}

cudaError_t SimulatedDevice::copy_on_device(const CopyRequest& request) {
    spend(std::max(Time{}, profile_.host.device_copy - profile_.host.copy_async));  // the call has cost the latter
    Issue issue;
    issue.operation.kind = device::OperationKind::device_to_device;
    issue.operation.name = request.call;
    issue.operation.bytes = request.to.bytes();
    issue.operation.asynchronous = request.asynchronous;
    issue.called_from = request.called_from;
    issue.task.resource = Resource::device_memory;
    const double moved = 2.0 * static_cast<double>(request.to.bytes());
    issue.task.duration = profile_.kernel_overhead + time_for(moved, memory_rate(moved));
    const auto effect = std::make_shared<CopyEffect>(request.to, request.from);
    issue.start = [this, effect, request](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        std::vector<AccessInterval> accesses = request.from.accesses(Access::read);
        const std::vector<AccessInterval> writes = request.to.accesses(Access::write);
        accesses.insert(accesses.end(), writes.begin(), writes.end());
        checker_.operation_accesses(id, epoch, past, accesses);
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
    trusted_host_accesses(request.from.accesses(Access::read, request.called_from), request.call);
    trusted_host_accesses(request.to.accesses(Access::write, request.called_from), request.call);
    CopyEffect effect(request.to, request.from);
    effect.stage();
    effect.finish();
    spend(time_for(static_cast<double>(request.to.bytes()), profile_.host.host_copy_bytes_per_second));
    return cudaSuccess;
}

cudaError_t SimulatedDevice::set(const SetRequest& request) {
    const Rows& to = request.to;
    if (to.bytes() == 0) {
        return cudaSuccess;
    }
    const MemoryKind kind = memory_.kind_of(to.begin());
    if (to.begin() == 0 || kind == MemoryKind::pageable) {
        return cudaErrorInvalidValue;
    }
    if (const cudaError_t error = check_bounds(to, request.called_from); error != cudaSuccess) {
        return error;
    }
    Stream& stream = *request.stream;
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr) {
        return request.asynchronous ? capture_request(request, &SimulatedDevice::set) : refuse_in_capture(stream);
    }
    const bool small = to.bytes() <= small_memset_bytes;
    spend(small ? profile_.host.small_memset : profile_.host.launch);
    Issue issue;
    issue.operation.kind = device::OperationKind::memset;
    issue.operation.name = request.call;
    issue.operation.bytes = to.bytes();
    issue.operation.asynchronous = request.asynchronous;
    issue.called_from = request.called_from;
    issue.task.resource = Resource::device_memory;
    issue.task.duration = (small ? profile_.host.small_memset : profile_.kernel_overhead) +
                          time_for(static_cast<double>(to.bytes()), profile_.memory_bytes_per_second);
    issue.start = [this, to](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        checker_.operation_accesses(id, epoch, past, to.accesses(Access::write));
        return KernelCost{};
    };
    issue.finish = [this, to, value = request.value] {
        restore_destinations(to.begin(), to.end());
        to.for_each([value](unsigned char* row, std::size_t bytes) { std::memset(row, value, bytes); });
    };
    this->issue(std::move(issue), *request.stream);
    if (!request.asynchronous && (kind == MemoryKind::pinned || kind == MemoryKind::registered)) {
        wait_for(request.stream->last_task);  // cudaMemset on pinned host memory is done when it returns
        join_host(request.stream->clock);
    }
    return cudaSuccess;
}

}  // namespace simulator
