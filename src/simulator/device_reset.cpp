// cudaDeviceReset.
#include "simulator/device_variables.hpp"
#include "simulator/kernel_functions.hpp"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/simulated_device.hpp"

namespace simulator {

void SimulatedDevice::reset(std::uintptr_t called_from) {
    synchronize_all();
    const std::map<std::uintptr_t, Allocation> all = memory_.live();
    for (const auto& [begin, allocation] : all) {
        memory_.free(allocation.kind, begin, called_from);
        checker_.forget(begin, allocation.end());
        if (allocation.kind == MemoryKind::registered) {
            remove_tracked_range({begin, allocation.end()});
        }
    }
    allocation_cost_ = AllocationCost(profile_.host);
    destroy_all_streams_and_events();
    graphs_.clear();
    graph_execs_.clear();
    reset_device_variables([this](std::uintptr_t begin, std::uintptr_t end) { checker_.forget(begin, end); });
    reset_kernels();
    flags = cudaDeviceScheduleAuto;
    cache_preference = cudaFuncCachePreferNone;
}

void SimulatedDevice::destroy_all_streams_and_events() {
    for (auto entry = streams_.begin(); entry != streams_.end();) {
        std::unique_ptr<Stream>& stream = entry->second;
        if (stream->of_thread) {
            ++entry;  // there again at once, for the thread that it belongs to
            continue;
        }
        stream_order_.erase(stream->number);
        destroyed_by_reset_.emplace(entry->first, std::shared_ptr<Stream>(std::move(stream)));
        entry = streams_.erase(entry);
    }
    for (auto& [handle, event] : events_) {
        note_purpose(*event);
        destroyed_by_reset_.emplace(handle, std::shared_ptr<Event>(std::move(event)));
    }
    events_.clear();
}

void SimulatedDevice::report_use_after_destruction(const char* call, std::uintptr_t called_from) {
    if (std::exchange(names_what_was_destroyed_, false)) {
        add_finding("use_after_destruction", device::Severity::error, called_from, {{"call", call}});
    }
    if (std::exchange(names_what_a_reset_destroyed_, false)) {
        add_finding("use_after_reset", device::Severity::error, called_from, {{"call", call}});
    }
}

}  // namespace simulator
