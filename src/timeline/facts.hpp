// What a trace says, as figures: busy times, overlap, waiting. Pure functions; the checks judge by them.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "device/trace.hpp"

namespace timeline {

using std::chrono::nanoseconds;

// One kind of operation, or several that count as one ("any copy").
class Kinds {
public:
    Kinds(device::OperationKind kind) : kinds_{kind} {}
    Kinds(std::initializer_list<device::OperationKind> kinds) : kinds_(kinds) {}
    explicit Kinds(std::vector<device::OperationKind> kinds) : kinds_(std::move(kinds)) {}

    bool contains(device::OperationKind kind) const;

private:
    std::vector<device::OperationKind> kinds_;
};

// H2D and D2H: the copies that cross the host link.
Kinds link_copies();

bool crosses_the_link(const device::Operation& operation);

// How many operations of that kind, calls of that name and ranges of that name the trace has.
std::size_t count_operations(const device::Trace& trace, device::OperationKind kind);
std::size_t count_calls(const device::Trace& trace, std::string_view name);
std::size_t count_ranges(const device::Trace& trace, std::string_view name);

// A stretch of time; `end` is not part of it.
struct Interval {
    nanoseconds start{};
    nanoseconds end{};

    nanoseconds length() const { return end - start; }
    bool operator==(const Interval&) const = default;
};

// Whether the trace has a range of that name.
bool has_range(const device::Trace& trace, std::string_view range);

// What was issued or called within the ranges of that name (both ends included), with those ranges and the ranges
// inside them. An operation belongs to the range in which it was issued, a call to the one in which it started, even when
// it ends later; a call that starts as a range ends and takes time comes after it. Findings are kept: they have no
// time. Throws std::invalid_argument when there is no such range.
device::Trace restrict_to_range(const device::Trace& trace, std::string_view range);

// The trace as if only the last range of that name had been: without the earlier ones and whatever was issued, called or
// named from the start of the first until the start of the last.
device::Trace without_earlier(const device::Trace& trace, std::string_view range);

// When an operation of these kinds ran, in order and without overlaps. Operations of no length do not appear.
std::vector<Interval> busy_intervals(const device::Trace& trace, const Kinds& kinds);

// How long at least one operation of these kinds ran.
nanoseconds busy_time(const device::Trace& trace, const Kinds& kinds);

// How long an operation of `a` and one of `b` ran at the same time.
nanoseconds overlap_time(const device::Trace& trace, const Kinds& a, const Kinds& b);

// overlap_time as a share of the shorter of the two busy times, from 0 to 1; 0 when one of them never ran.
double overlap_share(const device::Trace& trace, const Kinds& a, const Kinds& b);

// How long the host was inside calls with these names, all together.
nanoseconds host_blocked_in(const device::Trace& trace, std::initializer_list<std::string_view> call_names);

// Operations issued within the (last) range of that name that had not ended when it ended, in order of issue.
// Throws std::invalid_argument when there is no such range.
std::vector<device::Operation> operations_after_range_end(const device::Trace& trace, std::string_view range);

// Each stream's operations in order of issue.
std::map<std::uint32_t, std::vector<device::Operation>> operations_by_stream(const device::Trace& trace);

// The sum of all kernels' times; kernels that ran together count twice.
nanoseconds kernel_total(const device::Trace& trace);

// From the first issue of an operation to the last end of one; {0, 0} without operations.
Interval operation_extent(const device::Trace& trace);

}  // namespace timeline
