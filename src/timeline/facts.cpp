#include "timeline/facts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace timeline {
namespace {

std::vector<Interval> ranges_named(const device::Trace& trace, std::string_view name) {
    std::vector<Interval> found;
    for (const auto& range : trace.ranges) {
        if (range.name == name) {
            found.push_back({range.start, range.end});
        }
    }
    if (found.empty()) {
        throw std::invalid_argument("expected a range \"" + std::string(name) + "\" in the trace of " + trace.device +
                                    ", found none");
    }
    return found;
}

bool covers(const std::vector<Interval>& ranges, nanoseconds start, nanoseconds end) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const Interval& range) { return range.start <= start && end <= range.end; });
}

// Where nothing takes time between two ranges, as on the simulated device, the first call after a range may start when the
// range ends.
bool begins_within(const std::vector<Interval>& ranges, const device::HostCall& call) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const Interval& range) {
        return range.start <= call.start && (call.start < range.end || std::max(call.start, call.end) == range.end);
    });
}

std::vector<Interval> merged(std::vector<Interval> intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::vector<Interval> result;
    for (const auto& interval : intervals) {
        if (!result.empty() && interval.start <= result.back().end) {
            result.back().end = std::max(result.back().end, interval.end);
        } else {
            result.push_back(interval);
        }
    }
    return result;
}

nanoseconds total(const std::vector<Interval>& intervals) {
    nanoseconds sum{};
    for (const auto& interval : intervals) {
        sum += interval.length();
    }
    return sum;
}

}  // namespace

bool Kinds::contains(device::OperationKind kind) const {
    return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
}

Kinds link_copies() {
    return {device::OperationKind::host_to_device, device::OperationKind::device_to_host};
}

bool crosses_the_link(const device::Operation& operation) {
    return operation.kind == device::OperationKind::host_to_device ||
           operation.kind == device::OperationKind::device_to_host;
}

std::size_t count_operations(const device::Trace& trace, device::OperationKind kind) {
    return static_cast<std::size_t>(std::count_if(trace.operations.begin(), trace.operations.end(),
                                                  [kind](const auto& operation) { return operation.kind == kind; }));
}

std::size_t count_calls(const device::Trace& trace, std::string_view name) {
    return static_cast<std::size_t>(std::count_if(trace.host_calls.begin(), trace.host_calls.end(),
                                                  [name](const auto& call) { return call.name == name; }));
}

std::size_t count_ranges(const device::Trace& trace, std::string_view name) {
    return static_cast<std::size_t>(std::count_if(trace.ranges.begin(), trace.ranges.end(),
                                                  [name](const auto& range) { return range.name == name; }));
}

bool has_range(const device::Trace& trace, std::string_view range) {
    return std::any_of(trace.ranges.begin(), trace.ranges.end(),
                       [&](const device::Range& candidate) { return candidate.name == range; });
}

device::Trace restrict_to_range(const device::Trace& trace, std::string_view range) {
    const auto ranges = ranges_named(trace, range);
    device::Trace result = trace;
    std::erase_if(result.operations, [&](const auto& item) { return !covers(ranges, item.issued, item.issued); });
    std::erase_if(result.host_calls, [&](const auto& item) { return !begins_within(ranges, item); });
    std::erase_if(result.ranges, [&](const auto& item) { return !covers(ranges, item.start, item.end); });
    return result;
}

device::Trace without_earlier(const device::Trace& trace, std::string_view range) {
    const auto ranges = ranges_named(trace, range);
    const auto by_start = [](const auto& a, const auto& b) { return a.start < b.start; };
    const auto [first, last] = std::minmax_element(ranges.begin(), ranges.end(), by_start);
    const auto is_earlier = [begin = first->start, end = last->start](nanoseconds time) {
        return time >= begin && time < end;
    };
    device::Trace result = trace;
    std::erase_if(result.operations, [&](const auto& item) { return is_earlier(item.issued); });
    std::erase_if(result.host_calls, [&](const auto& item) { return is_earlier(item.start); });
    std::erase_if(result.ranges, [&](const auto& item) { return is_earlier(item.start); });
    return result;
}

std::vector<Interval> busy_intervals(const device::Trace& trace, const Kinds& kinds) {
    std::vector<Interval> intervals;
    for (const auto& operation : trace.operations) {
        if (kinds.contains(operation.kind) && operation.start < operation.end) {
            intervals.push_back({operation.start, operation.end});
        }
    }
    return merged(std::move(intervals));
}

nanoseconds busy_time(const device::Trace& trace, const Kinds& kinds) {
    return total(busy_intervals(trace, kinds));
}

nanoseconds overlap_time(const device::Trace& trace, const Kinds& a, const Kinds& b) {
    const auto first = busy_intervals(trace, a);
    const auto second = busy_intervals(trace, b);
    nanoseconds sum{};
    for (auto i = first.begin(), j = second.begin(); i != first.end() && j != second.end();) {
        sum += std::max(nanoseconds{}, std::min(i->end, j->end) - std::max(i->start, j->start));
        if (i->end < j->end) {
            ++i;
        } else {
            ++j;
        }
    }
    return sum;
}

double overlap_share(const device::Trace& trace, const Kinds& a, const Kinds& b) {
    const auto shorter = std::min(busy_time(trace, a), busy_time(trace, b));
    return shorter == nanoseconds{}
               ? 0.0
               : static_cast<double>(overlap_time(trace, a, b).count()) / static_cast<double>(shorter.count());
}

nanoseconds host_blocked_in(const device::Trace& trace, std::initializer_list<std::string_view> call_names) {
    nanoseconds sum{};
    for (const auto& call : trace.host_calls) {
        if (std::find(call_names.begin(), call_names.end(), call.name) != call_names.end()) {
            sum += call.end - call.start;
        }
    }
    return sum;
}

std::vector<device::Operation> operations_after_range_end(const device::Trace& trace, std::string_view range) {
    const Interval last = ranges_named(trace, range).back();
    std::vector<device::Operation> late;
    for (const auto& operation : trace.operations) {
        if (covers({last}, operation.issued, operation.issued) && operation.end > last.end) {
            late.push_back(operation);
        }
    }
    return late;
}

std::map<std::uint32_t, std::vector<device::Operation>> operations_by_stream(const device::Trace& trace) {
    std::map<std::uint32_t, std::vector<device::Operation>> streams;
    for (const auto& operation : trace.operations) {
        streams[operation.stream].push_back(operation);
    }
    return streams;
}

nanoseconds kernel_total(const device::Trace& trace) {
    nanoseconds sum{};
    for (const auto& operation : trace.operations) {
        if (operation.kind == device::OperationKind::kernel) {
            sum += operation.end - operation.start;
        }
    }
    return sum;
}

Interval operation_extent(const device::Trace& trace) {
    if (trace.operations.empty()) {
        return {};
    }
    Interval extent{trace.operations.front().issued, trace.operations.front().end};
    for (const auto& operation : trace.operations) {
        extent.start = std::min(extent.start, operation.issued);
        extent.end = std::max(extent.end, operation.end);
    }
    return extent;
}

}  // namespace timeline
