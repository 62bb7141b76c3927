#include "checks/event_judgements.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "checks/causes.hpp"
#include "checks/figures.hpp"
#include "checks/trace_judgements.hpp"
#include "timeline/facts.hpp"

namespace checks {
namespace {

using device::HostCall;
using device::Operation;
using device::OperationKind;
using device::Trace;
using std::chrono::nanoseconds;

constexpr std::string_view run_range = "run";
constexpr std::string_view measuring_range = "measure_stages";

constexpr double relative_tolerance = 0.05;
// A host clock that waits for each stage reads a little more than that stage takes. Where the times are about right, what is
// wrong is that they do not come from events.
constexpr double tolerance_without_events = 0.25;
// An event is passed a little before the operation behind it begins, and events have a resolution of about 0.5 us.
constexpr nanoseconds absolute_tolerance{5000};
constexpr double required_kernel_work = 0.85;  // as the check of the kernels in run() asks for

struct Role {
    const char* name;
    OperationKind kind;
};

constexpr Role roles[] = {
    {"H2D", OperationKind::host_to_device}, {"kernel", OperationKind::kernel}, {"D2H", OperationKind::device_to_host}};

std::string milliseconds(double value) {
    return decimals(value, 3);
}

double in_milliseconds(nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

// Where the first operation of that kind was issued.
device::SourceLine line_of(const Trace& trace, OperationKind kind) {
    const auto found = std::find_if(trace.operations.begin(), trace.operations.end(),
                                    [kind](const Operation& operation) { return operation.kind == kind; });
    return found == trace.operations.end() ? device::SourceLine{} : found->at;
}

// How often all of the stage's work was done.
double passes(const Trace& measuring, const Role& role, const Problem& problem, nanoseconds kernel_work) {
    if (role.kind == OperationKind::kernel) {
        return in_milliseconds(timeline::kernel_total(measuring)) / in_milliseconds(kernel_work);
    }
    std::uint64_t bytes = 0;
    for (const Operation& operation : measuring.operations) {
        bytes += operation.kind == role.kind ? operation.bytes : 0;
    }
    return static_cast<double>(bytes) / static_cast<double>(problem.bytes());
}

bool is_whole(const Role& role, double passes) {
    return passes >= (role.kind == OperationKind::kernel ? required_kernel_work : 1);
}

std::optional<Failure> judge_stage(const Trace& measuring, const Role& role, double reported_ms, double times_measured,
                                   double tolerance) {
    const double traced_ms = in_milliseconds(timeline::busy_time(measuring, role.kind)) / times_measured;
    const double tolerance_ms = std::max(tolerance * traced_ms, in_milliseconds(absolute_tolerance));
    // Written so that a reported NaN fails.
    if (std::abs(reported_ms - traced_ms) <= tolerance_ms) {
        return std::nullopt;
    }
    return Failure{cause::stage_times_off,
                   {{"stage", role.name},
                    {"reported", milliseconds(reported_ms)},
                    {"traced", milliseconds(traced_ms)}},
                   line_of(measuring, role.kind),
                   {}};
}

// What makes the host wait, or lets it ask again and again.
const std::set<std::string, std::less<>> waiting_calls{"cudaDeviceSynchronize", "cudaStreamSynchronize",
                                                       "cudaEventSynchronize",  "cudaStreamQuery",
                                                       "cudaEventQuery",        "cudaEventElapsedTime",
                                                       "cudaMemcpy",            "cudaMemcpy2D",
                                                       "cudaMalloc",            "cudaFree",
                                                       "cudaMallocHost",        "cudaHostAlloc",
                                                       "cudaFreeHost"};

// When the operations of a kind ran, all together.
std::optional<timeline::Interval> extent(const Trace& run, OperationKind kind) {
    const auto busy = timeline::busy_intervals(run, kind);
    return busy.empty() ? std::nullopt : std::optional(timeline::Interval{busy.front().start, busy.back().end});
}

}  // namespace

std::optional<Failure> judge_stage_times(const Trace& trace, const Problem& problem, nanoseconds kernel_work,
                                         const StageMilliseconds& reported) {
    const Trace measuring = timeline::restrict_to_range(trace, measuring_range);
    double least = std::numeric_limits<double>::infinity();
    for (const Role& role : roles) {
        const double done = passes(measuring, role, problem, kernel_work);
        if (!is_whole(role, done)) {
            return Failure{cause::stage_not_run, {{"stage", role.name}}, line_of(measuring, role.kind), {}};
        }
        least = std::min(least, done);
    }
    // Who measures everything several times reports an average.
    const double times_measured = std::max(1.0, std::round(least));
    constexpr std::size_t stages = std::size(roles);
    const double times[stages] = {reported.h2d, reported.kernel, reported.d2h};
    const std::size_t asked = timeline::count_calls(measuring, "cudaEventElapsedTime");
    const double tolerance = asked < stages ? tolerance_without_events : relative_tolerance;
    for (std::size_t i = 0; i < stages; ++i) {
        if (const auto wrong = judge_stage(measuring, roles[i], times[i], times_measured, tolerance)) {
            return wrong;
        }
    }
    if (asked < stages) {
        return Failure{cause::not_timed_by_events, {{"calls", std::to_string(asked)}}, {}, {}};
    }
    return std::nullopt;
}

std::optional<Failure> judge_roles(const Trace& trace) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    std::map<std::uint32_t, const Role*> role_of_stream;
    std::size_t on_default_stream = 0;
    const Operation* first_on_default_stream = nullptr;
    std::optional<Failure> shared;
    for (const Operation& operation : run.operations) {
        if (operation.stream == 0) {
            ++on_default_stream;
            first_on_default_stream = first_on_default_stream == nullptr ? &operation : first_on_default_stream;
        }
        const auto role =
            std::find_if(std::begin(roles), std::end(roles), [&](const Role& r) { return r.kind == operation.kind; });
        if (role == std::end(roles)) {
            continue;
        }
        const auto known = role_of_stream.emplace(operation.stream, role).first;
        if (known->second != role && !shared) {
            shared = Failure{
                cause::roles_share_a_stream,
                {{"first", known->second->name}, {"second", role->name}, {"stream", std::to_string(operation.stream)}},
                operation.at,
                {}};
        }
    }
    if (first_on_default_stream != nullptr) {
        return Failure{
            cause::legacy_default_stream,
            {{"operations", std::to_string(on_default_stream)}, {"of", std::to_string(run.operations.size())}},
            first_on_default_stream->at,
            {}};
    }
    return shared;
}

std::optional<Failure> judge_host_waits(const Trace& trace) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    if (run.operations.empty()) {
        return std::nullopt;
    }
    const nanoseconds first_issue = run.operations.front().issued;
    const nanoseconds last_issue = run.operations.back().issued;
    const HostCall* first = nullptr;
    std::size_t calls = 0;
    for (const HostCall& call : run.host_calls) {
        if (waiting_calls.contains(call.name) && call.start > first_issue && call.start < last_issue) {
            ++calls;
            first = first == nullptr ? &call : first;
        }
    }
    if (first == nullptr) {
        return std::nullopt;
    }
    return Failure{cause::host_waits_in_loop, {{"calls", std::to_string(calls)}, {"call", first->name}}, first->at, {}};
}

std::optional<Failure> find_roles_in_turn(const Trace& trace) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    for (std::size_t i = 0; i + 1 < std::size(roles); ++i) {
        const Role& before = roles[i];
        const Role& after = roles[i + 1];
        if (timeline::count_operations(run, before.kind) < 2 || timeline::count_operations(run, after.kind) < 2) {
            continue;  // a single chunk has nothing to overlap with
        }
        const auto first = extent(run, before.kind);
        const auto second = extent(run, after.kind);
        if (first && second && second->start >= first->end) {
            return Failure{cause::roles_take_turns,
                           {{"first", before.name}, {"second", after.name}},
                           line_of(run, after.kind),
                           {}};
        }
    }
    return std::nullopt;
}

std::optional<Failure> judge_waits(const std::vector<device::Finding>& findings) {
    return findings_of_kind(findings, cause::waits_for_nothing);
}

std::optional<Failure> judge_ordering_events(const std::vector<device::Finding>& findings) {
    return findings_of_kind(findings, cause::timing_event_orders);
}

}  // namespace checks
