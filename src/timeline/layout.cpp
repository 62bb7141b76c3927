#include "timeline/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "timeline/scale.hpp"
#include "timeline/text_columns.hpp"

namespace timeline {
namespace {

using device::OperationKind;

Interval window_of(const device::Trace& trace, std::string_view range) {
    Interval window = operation_extent(trace);
    for (const auto& candidate : trace.ranges) {
        if (range.empty() || candidate.name != range) {
            continue;
        }
        const bool nothing_yet = window == Interval{};
        window.start = nothing_yet ? candidate.start : std::min(window.start, candidate.start);
        window.end = std::max(window.end, candidate.end);
    }
    return window;
}

// Named stretches in which the host calls nothing are work of its own: they are drawn where its calls are.
void add_host_work(device::Trace& trace) {
    const auto within = [](const auto& inner, const device::Range& outer) {  // a call of no length at a border is not
        return inner.start < inner.end && inner.start >= outer.start && inner.end <= outer.end;
    };
    std::vector<device::HostCall> work;
    for (const device::Range& range : trace.ranges) {
        const bool calls = std::any_of(trace.host_calls.begin(), trace.host_calls.end(),
                                       [&](const device::HostCall& call) { return within(call, range); });
        const bool nests = std::any_of(trace.ranges.begin(), trace.ranges.end(), [&](const device::Range& other) {
            return &other != &range && within(other, range);
        });
        if (!calls && !nests) {
            work.push_back({range.name, range.start, range.end, {}});
        }
    }
    trace.host_calls.insert(trace.host_calls.end(), work.begin(), work.end());
}

// Puts each operation into the first lane that is free at its start.
std::vector<Lane> lanes_of(const device::Trace& trace, std::vector<std::size_t> operations, std::size_t most_lanes) {
    const auto& all = trace.operations;
    std::stable_sort(operations.begin(), operations.end(),
                     [&](std::size_t a, std::size_t b) { return all[a].start < all[b].start; });
    std::vector<Lane> lanes(1);
    for (const std::size_t operation : operations) {
        const auto is_free = [&](const Lane& lane) {
            return lane.empty() || all[lane.back()].end <= all[operation].start;
        };
        auto lane = std::find_if(lanes.begin(), lanes.end(), is_free);
        if (lane == lanes.end() && lanes.size() < most_lanes) {
            lane = lanes.emplace(lanes.end());
        }
        (lane == lanes.end() ? lanes.back() : *lane).push_back(operation);
    }
    return lanes;
}

template <typename Predicate>
std::vector<std::size_t> operations_where(const device::Trace& trace, Predicate predicate) {
    std::vector<std::size_t> found;
    for (std::size_t index = 0; index < trace.operations.size(); ++index) {
        if (predicate(trace.operations[index])) {
            found.push_back(index);
        }
    }
    return found;
}

std::vector<Row> engine_rows(const device::Trace& trace, messages::Language language, std::size_t most_lanes) {
    std::vector<Row> rows;
    for (const OperationKind kind : kinds_in_order) {
        const auto operations = operations_where(trace, [&](const auto& item) { return item.kind == kind; });
        const bool always = kind == OperationKind::host_to_device || kind == OperationKind::kernel ||
                            kind == OperationKind::device_to_host;
        if (always || !operations.empty()) {
            rows.push_back({kind_label(kind, language), lanes_of(trace, operations, most_lanes)});
        }
    }
    return rows;
}

std::vector<Row> stream_rows(const device::Trace& trace, messages::Language language, std::size_t most_lanes) {
    std::vector<Row> rows;
    for (const auto& [stream, unused] : operations_by_stream(trace)) {
        const auto operations =
            operations_where(trace, [&, stream = stream](const auto& item) { return item.stream == stream; });
        rows.push_back({messages::text("timeline.stream", {{"stream", std::to_string(stream)}}, language),
                        lanes_of(trace, operations, most_lanes)});
    }
    return rows;
}

// A share in whole percent, as text.
std::string percent(nanoseconds part, nanoseconds whole) {
    if (whole <= nanoseconds{}) {
        return "0";
    }
    return fmt::format("{:.0f}", 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

std::string_view kind_id(OperationKind kind) {
    switch (kind) {
        case OperationKind::host_to_device:
            return "timeline.kind.host_to_device";
        case OperationKind::device_to_host:
            return "timeline.kind.device_to_host";
        case OperationKind::device_to_device:
            return "timeline.kind.device_to_device";
        case OperationKind::host_to_host:
            return "timeline.kind.host_to_host";
        case OperationKind::memset:
            return "timeline.kind.memset";
        case OperationKind::host_function:
            return "timeline.kind.host_function";
        case OperationKind::kernel:
            break;
    }
    return "timeline.kind.kernel";
}

}  // namespace

std::string kind_label(OperationKind kind, messages::Language language) {
    return messages::text(kind_id(kind), {}, language);
}

char kind_letter(OperationKind kind) {
    switch (kind) {
        case OperationKind::host_to_device:
            return 'H';
        case OperationKind::device_to_host:
            return 'D';
        case OperationKind::device_to_device:
            return 'C';
        case OperationKind::host_to_host:
            return 'M';
        case OperationKind::memset:
            return 'S';
        case OperationKind::host_function:
            return 'F';
        case OperationKind::kernel:
            break;
    }
    return 'K';
}

Drawing lay_out(const device::Trace& trace, std::string_view range, Grouping grouping, messages::Language language,
                std::size_t most_lanes) {
    Drawing drawing;
    drawing.trace = range.empty() ? trace : restrict_to_range(trace, range);
    drawing.window = window_of(drawing.trace, range);
    add_host_work(drawing.trace);
    drawing.rows = grouping == Grouping::engine ? engine_rows(drawing.trace, language, most_lanes)
                                                : stream_rows(drawing.trace, language, most_lanes);
    return drawing;
}

std::vector<CallTotal> longest_calls(const Drawing& drawing, std::size_t most) {
    std::map<std::string, CallTotal> by_name;
    for (const auto& call : drawing.trace.host_calls) {
        if (call.end <= drawing.window.start || call.start >= drawing.window.end) {
            continue;
        }
        CallTotal& total = by_name[call.name];
        total.name = call.name;
        ++total.calls;
        total.time += std::min(call.end, drawing.window.end) - std::max(call.start, drawing.window.start);
    }
    std::vector<CallTotal> totals;
    for (auto& [name, total] : by_name) {
        if (total.time * 100 >= drawing.window.length()) {
            totals.push_back(std::move(total));
        }
    }
    std::stable_sort(totals.begin(), totals.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
    totals.resize(std::min(totals.size(), most));
    return totals;
}

std::string title_text(const Drawing& drawing, std::string_view range, messages::Language language, bool ascii) {
    const device::Trace& trace = drawing.trace;
    const std::string device = trace.simulated
                                   ? messages::text("timeline.title.simulated",
                                                    {{"device", trace.device}, {"profile", trace.profile}}, language)
                                   : messages::text("timeline.title.gpu", {{"device", trace.device}}, language);
    const std::string time = time_text(drawing.window.length(), ascii);
    return printable(
        range.empty() ? messages::text("timeline.title.whole", {{"device", device}, {"time", time}}, language)
                      : messages::text("timeline.title.range",
                                       {{"device", device}, {"range", std::string(range)}, {"time", time}}, language));
}

std::vector<std::string> fact_texts(const Drawing& drawing, messages::Language language, bool ascii) {
    const device::Trace& trace = drawing.trace;
    if (trace.operations.empty()) {
        return {messages::text("timeline.nothing", {}, language)};
    }
    const nanoseconds whole = drawing.window.length();
    const nanoseconds together = overlap_time(trace, link_copies(), OperationKind::kernel);
    const nanoseconds both = overlap_time(trace, OperationKind::host_to_device, OperationKind::device_to_host);
    const auto busy = [&](OperationKind kind) { return percent(busy_time(trace, kind), whole); };
    return {messages::text("timeline.busy",
                           {{"h2d", busy(OperationKind::host_to_device)},
                            {"kernel", busy(OperationKind::kernel)},
                            {"d2h", busy(OperationKind::device_to_host)}},
                           language),
            messages::text("timeline.overlap",
                           {{"time", time_text(together, ascii)}, {"share", percent(together, whole)}}, language),
            messages::text("timeline.both_directions",
                           {{"time", time_text(both, ascii)}, {"share", percent(both, whole)}}, language)};
}

}  // namespace timeline
