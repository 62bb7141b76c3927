#include "checks/call_judgements.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/causes.hpp"
#include "checks/figures.hpp"
#include "checks/host_judgements.hpp"
#include "checks/trace_judgements.hpp"
#include "timeline/facts.hpp"

namespace checks {
namespace {

using device::HostCall;
using device::OperationKind;
using device::Trace;
using std::chrono::nanoseconds;

constexpr std::string_view run_range = "run";
constexpr std::string_view allocate_range = "allocate";

// Of the host's work: a measured trace joins two clocks, so that nothing at all is not always 0.
constexpr double next_to_nothing = 0.05;

using Names = std::span<const std::string_view>;
constexpr std::string_view pinned_allocations[] = {"cudaMallocHost", "cudaHostAlloc"};
constexpr std::string_view registrations[] = {"cudaHostRegister"};
constexpr std::string_view device_waits[] = {"cudaDeviceSynchronize"};
// Also a query in a loop, and a host function that tells the host.
constexpr std::string_view stream_waits[] = {"cudaStreamSynchronize", "cudaEventSynchronize", "cudaStreamQuery",
                                             "cudaEventQuery", "cudaLaunchHostFunc"};
constexpr std::string_view pinning_calls[] = {"cudaMallocHost", "cudaHostAlloc", "cudaFreeHost", "cudaHostRegister",
                                              "cudaHostUnregister"};

std::string tenths(double value) {
    return decimals(value, 1);
}

// Bytes per nanosecond are GB/s.
double rate(double bytes, double nanoseconds) {
    return nanoseconds > 0 ? bytes / nanoseconds : 0;
}

nanoseconds time_in(const HostCall& call) {
    return call.end - call.start;
}

bool is_copy_call(std::string_view name) {
    return name.starts_with("cudaMemcpy");  // also of rows
}

struct Calls {
    std::size_t count = 0;
    nanoseconds time{};
    HostCall first;
    HostCall longest;
};

template <typename Predicate>
Calls calls_that(const Trace& trace, Predicate wanted) {
    Calls found;
    for (const HostCall& call : trace.host_calls) {
        if (!wanted(call.name)) {
            continue;
        }
        found.first = found.count == 0 ? call : found.first;
        found.longest = time_in(call) > time_in(found.longest) ? call : found.longest;
        found.time += time_in(call);
        ++found.count;
    }
    return found;
}

Calls calls_named(const Trace& trace, Names names) {
    return calls_that(trace, [names](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    });
}

nanoseconds copy_time(const Trace& run, OperationKind kind) {
    nanoseconds time{};
    for (const device::Operation& operation : run.operations) {
        time += operation.kind == kind ? operation.end - operation.start : nanoseconds{};
    }
    return time;
}

device::SourceLine line_of_first(const Trace& run, OperationKind kind) {
    const auto first = std::find_if(run.operations.begin(), run.operations.end(),
                                    [kind](const device::Operation& operation) { return operation.kind == kind; });
    return first == run.operations.end() ? device::SourceLine{} : first->at;
}

struct Direction {
    const char* name;
    OperationKind kind;
    double pinned_ns;    // what a chunk takes with pinned memory
    double pageable_ns;  // and with pageable memory
};

std::optional<Failure> judge_rate(const Trace& run, const Problem& problem, const Direction& direction,
                                  double required) {
    const auto bytes = static_cast<double>(problem.bytes());
    const double reached = rate(bytes, static_cast<double>(copy_time(run, direction.kind).count()));
    const auto chunk_bytes = static_cast<double>(problem.chunk_elements * sizeof(Element));
    const double pinned = rate(chunk_bytes, direction.pinned_ns);
    const double pageable = rate(chunk_bytes, direction.pageable_ns);
    if (reached >= required * pinned) {
        return std::nullopt;
    }
    return Failure{cause::slow_copies,
                   {{"direction", direction.name},
                    {"rate", tenths(reached)},
                    {"required", tenths(required * pinned)},
                    {"pinned", tenths(pinned)},
                    {"pageable", tenths(pageable)},
                    {"times", tenths(pageable > 0 ? reached / pageable : 0)}},
                   line_of_first(run, direction.kind),
                   {}};
}

// The middle of the first lab::host_work(): its ends may touch the device's work.
nanoseconds middle_of_host_work(const Trace& run) {
    const auto work = std::find_if(run.ranges.begin(), run.ranges.end(),
                                   [](const device::Range& range) { return range.name == "host_work"; });
    return work == run.ranges.end() ? nanoseconds{} : (work->start + work->end) / 2;
}

}  // namespace

std::optional<Failure> judge_copy_calls(const Trace& trace, double required) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const Calls calls = calls_that(run, is_copy_call);
    const nanoseconds copies =
        copy_time(run, OperationKind::host_to_device) + copy_time(run, OperationKind::device_to_host);
    if (copies == nanoseconds{}) {  // no call is no fault: a graph copies too
        return Failure{cause::no_copies, {{"direction", "H2D"}, {"bytes", "0"}, {"required", "1"}}, {}, {}};
    }
    const double share = static_cast<double>(calls.time.count()) / static_cast<double>(copies.count());
    if (share < required) {
        return std::nullopt;
    }
    return Failure{cause::blocking_copy_calls,
                   {{"call", calls.longest.name}, {"share", percent(share)}, {"required", percent(required)}},
                   calls.longest.at,
                   {}};
}

std::optional<Failure> judge_copy_rates(const Trace& trace, const Problem& problem,
                                        const protocol::Measurement& measured, double required) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const auto time = [](std::uint64_t ns) { return static_cast<double>(ns); };
    const Direction directions[] = {
        {"H2D", OperationKind::host_to_device, time(measured.h2d_alone_ns), time(measured.h2d_pageable_ns)},
        {"D2H", OperationKind::device_to_host, time(measured.d2h_alone_ns), time(measured.d2h_pageable_ns)}};
    for (const Direction& direction : directions) {
        if (auto slow = judge_rate(run, problem, direction, required)) {
            return slow;
        }
    }
    return std::nullopt;
}

std::optional<Failure> judge_pinning(const Trace& trace) {
    if (const Calls calls = calls_named(timeline::restrict_to_range(trace, run_range), pinning_calls); calls.count > 0) {
        return Failure{cause::pinning_in_run,
                       {{"call", calls.first.name}, {"calls", std::to_string(calls.count)}},
                       calls.first.at,
                       {}};
    }
    const Trace before = timeline::restrict_to_range(trace, allocate_range);
    if (calls_named(before, registrations).count == 0) {
        return Failure{cause::nothing_registered, {}, {}, {}};
    }
    const Calls allocations = calls_named(before, pinned_allocations);
    if (allocations.count == 0) {
        return Failure{cause::no_pinned_allocation, {}, {}, {}};
    }
    if (allocations.count > timeline::count_ranges(trace, allocate_range)) {
        return Failure{cause::another_pinned_buffer,
                       {{"calls", std::to_string(allocations.count)}},
                       allocations.first.at,
                       {}};
    }
    return std::nullopt;
}

std::optional<Failure> judge_input_in_place(const Trace& trace, const std::vector<device::Finding>& findings) {
    if (auto moved = findings_of_kind(findings, cause::input_written_by_host)) {
        moved->cause = cause::input_not_in_place;
        moved->arguments["copies"] = moved->arguments["of"] = moved->arguments.at("count");
        return moved;
    }
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const auto is_copy_in = [](const device::Operation& operation) {
        return operation.kind == OperationKind::host_to_device;
    };
    const auto is_elsewhere = [&](const device::Operation& operation) {
        return is_copy_in(operation) && trace.simulated && operation.host_memory == device::HostMemory::pinned;
    };
    const auto first = std::find_if(run.operations.begin(), run.operations.end(), is_elsewhere);
    if (first == run.operations.end()) {
        return std::nullopt;
    }
    const auto count = [&](auto predicate) {
        return std::to_string(std::count_if(run.operations.begin(), run.operations.end(), predicate));
    };
    return Failure{
        cause::input_not_in_place, {{"copies", count(is_elsewhere)}, {"of", count(is_copy_in)}}, first->at, {}};
}

std::optional<Failure> judge_wait(const Trace& trace) {
    if (const auto used = find_legacy_default_stream(trace)) {
        return used;
    }
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const Calls calls = calls_named(run, device_waits);
    if (calls.count == 0) {
        const bool waits = calls_named(run, stream_waits).count > 0;
        return waits ? std::nullopt : std::optional(Failure{cause::no_wait, {}, {}, {}});
    }
    return Failure{cause::device_wide_wait,
                   {{"call", calls.first.name}, {"calls", std::to_string(calls.count)}},
                   calls.first.at,
                   {}};
}

std::optional<Failure> judge_host_work_beside_device(const Trace& trace, double required) {
    const timeline::Kinds work{OperationKind::host_to_device, OperationKind::kernel, OperationKind::device_to_host};
    const double share = host_work_share_beside(trace, work);
    if (share >= required) {
        return std::nullopt;
    }
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const auto busy = timeline::busy_intervals(run, work);
    const nanoseconds middle = middle_of_host_work(run);
    const char* cause = cause::host_work_partly_beside;
    if (share > next_to_nothing || busy.empty()) {
        cause = cause::host_work_partly_beside;
    } else if (middle <= busy.front().start) {
        cause = cause::host_work_before_device;
    } else if (middle >= busy.back().end) {
        cause = cause::host_work_after_device;
    }
    return Failure{cause, {{"share", percent(share)}, {"required", percent(required)}}, {}, {}};
}

}  // namespace checks
