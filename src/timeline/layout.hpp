// What both pictures of a trace share: which rows there are, and what stands above and below them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "device/trace.hpp"
#include "messages/messages.hpp"
#include "timeline/facts.hpp"

namespace timeline {

// One row for each engine (H2D, kernel, D2H, ...) or one for each stream.
enum class Grouping { engine, stream };

// Indices into Trace::operations, in order of start.
using Lane = std::vector<std::size_t>;

// Operations that run at the same time within a row lie in different lanes; beyond `most_lanes` they share the last.
struct Row {
    std::string label;
    std::vector<Lane> lanes;  // at least one
};

// A trace, restricted to what is drawn.
struct Drawing {
    device::Trace trace;
    Interval window;  // the time that is drawn
    std::vector<Row> rows;
};

// `range` empty: everything, from the first issue of an operation to the last end of one; otherwise the ranges of that
// name and what was issued in them. Throws std::invalid_argument when there is no such range.
Drawing lay_out(const device::Trace& trace, std::string_view range, Grouping grouping, messages::Language language,
                std::size_t most_lanes);

// A host call's name with how often it was called and how long it took in all.
struct CallTotal {
    std::string name;
    std::size_t calls = 0;
    nanoseconds time{};
};

// The calls in which the host spent at least 1 % of the window each, longest first, at most `most` of them.
std::vector<CallTotal> longest_calls(const Drawing& drawing, std::size_t most);

// "NVIDIA H200, simulated (profile h200-pcie5): run, 5.99 ms".
std::string title_text(const Drawing& drawing, std::string_view range, messages::Language language, bool ascii = false);

// How busy each engine was, and how long a copy and a kernel ran together: one sentence each.
std::vector<std::string> fact_texts(const Drawing& drawing, messages::Language language, bool ascii = false);

// "H2D", "kernel", ... as row labels, and the one letter that marks the kind in a row of a stream.
std::string kind_label(device::OperationKind kind, messages::Language language);
char kind_letter(device::OperationKind kind);

// The kinds in the order of their rows.
inline constexpr device::OperationKind kinds_in_order[] = {
    device::OperationKind::host_to_device,   device::OperationKind::kernel,
    device::OperationKind::device_to_host,   device::OperationKind::memset,
    device::OperationKind::device_to_device, device::OperationKind::host_to_host,
    device::OperationKind::host_function};

}  // namespace timeline
