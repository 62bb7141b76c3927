#include "checks/host_stage_judgements.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/causes.hpp"
#include "checks/figures.hpp"
#include "timeline/facts.hpp"

namespace checks {
namespace {

using device::HostCall;
using device::Operation;
using device::OperationKind;
using device::Trace;
using std::chrono::nanoseconds;

constexpr std::string_view run_range = "run";
constexpr double time_tolerance = 0.01;  // each range is a whole number of nanoseconds

// The calls that wait on the host, for one thing or another.
const std::set<std::string> waits = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                                     "cudaMalloc", "cudaFree"};

bool is_host_stage(const device::Range& range) {
    return range.name == "produce" || range.name == "consume";
}

nanoseconds time_in(const Trace& trace, std::string_view name) {
    nanoseconds sum{};
    for (const device::Range& range : trace.ranges) {
        sum += range.name == name ? range.end - range.start : nanoseconds{};
    }
    return sum;
}

std::optional<Failure> judge_host_stage(const Trace& run, const Problem& problem, const char* stage) {
    const double per_element =
        static_cast<double>(problem.host_copy.count()) / static_cast<double>(problem.chunk_elements);
    const double expected = static_cast<double>(problem.elements * timeline::count_ranges(run, run_range));
    const double found = static_cast<double>(time_in(run, stage).count()) / per_element;
    const bool too_long = run.simulated && found > (1 + time_tolerance) * expected;  // a real copy may take longer
    if (found >= (1 - time_tolerance) * expected && !too_long) {
        return std::nullopt;
    }
    return Failure{found < expected ? cause::host_stage_incomplete : cause::host_stage_repeated,
                   {{"stage", stage}, {"share", percent(found / expected)}},
                   {},
                   {}};
}

const Operation* first_on_default_stream(const Trace& run) {
    const auto found = std::find_if(run.operations.begin(), run.operations.end(),
                                    [](const Operation& operation) { return operation.stream == 0; });
    return found == run.operations.end() ? nullptr : &*found;
}

std::optional<Failure> default_stream_used(const Trace& run) {
    const Operation* first = first_on_default_stream(run);
    if (first == nullptr) {
        return std::nullopt;
    }
    const auto on_it = std::count_if(run.operations.begin(), run.operations.end(),
                                     [](const Operation& operation) { return operation.stream == 0; });
    return Failure{cause::legacy_default_stream,
                   {{"operations", std::to_string(on_it)}, {"of", std::to_string(run.operations.size())}},
                   first->at,
                   {}};
}

// Whether all that had been issued by then was done when the call returned.
bool leaves_nothing(const Trace& run, const HostCall& call) {
    return std::all_of(run.operations.begin(), run.operations.end(), [&](const Operation& operation) {
        return operation.issued > call.start || operation.end <= call.end;
    });
}

// Waits after which the device has nothing to do, although there are chunks left to issue.
std::optional<Failure> device_runs_empty(const Trace& run) {
    if (run.operations.empty()) {
        return std::nullopt;
    }
    std::vector<const HostCall*> emptying;
    for (const HostCall& call : run.host_calls) {
        const bool in_loop = call.start > run.operations.front().issued && call.start < run.operations.back().issued;
        if (in_loop && waits.contains(call.name) && leaves_nothing(run, call)) {
            emptying.push_back(&call);
        }
    }
    if (emptying.size() < 2) {
        return std::nullopt;
    }
    return Failure{cause::device_runs_empty,
                   {{"calls", std::to_string(emptying.size())}, {"call", emptying.front()->name}},
                   emptying.front()->at,
                   {}};
}

std::set<std::uint32_t> streams_of(const Trace& run) {
    std::set<std::uint32_t> streams;
    for (const Operation& operation : run.operations) {
        streams.insert(operation.stream);
    }
    return streams;
}

Failure explain(const Trace& run, Failure no_overlap) {
    if (const auto used = default_stream_used(run)) {
        return *used;
    }
    if (const auto empty = device_runs_empty(run)) {
        return *empty;
    }
    if (streams_of(run).size() == 1) {
        return {
            cause::one_stream, {{"operations", std::to_string(run.operations.size())}}, run.operations.front().at, {}};
    }
    return no_overlap;
}

// The same trace with one operation for each stretch of host time in produce() or consume(), in place of a kind that
// pipelines do not have: so that the facts of a trace say when both were busy.
constexpr OperationKind host_stage = OperationKind::host_to_host;

Trace with_host_stages_as_operations(Trace run) {
    std::erase_if(run.operations, [](const Operation& operation) { return operation.kind == host_stage; });
    for (const device::Range& range : run.ranges) {
        if (is_host_stage(range)) {
            Operation operation;
            operation.kind = host_stage;
            operation.start = range.start;
            operation.end = range.end;
            run.operations.push_back(operation);
        }
    }
    return run;
}

}  // namespace

std::optional<Failure> judge_host_stages(const Trace& trace, const Problem& problem) {
    if (problem.host_copy.count() == 0 || problem.elements == 0) {
        return std::nullopt;
    }
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const auto produced = judge_host_stage(run, problem, "produce");
    return produced ? produced : judge_host_stage(run, problem, "consume");
}

std::optional<Failure> judge_host_stage_overlap(const Trace& trace, double required) {
    const Trace run = with_host_stages_as_operations(timeline::restrict_to_range(trace, run_range));
    const nanoseconds host = timeline::busy_time(run, host_stage);
    const nanoseconds both = timeline::overlap_time(
        run, host_stage, {OperationKind::host_to_device, OperationKind::kernel, OperationKind::device_to_host});
    const double share =
        host == nanoseconds{} ? 0 : static_cast<double>(both.count()) / static_cast<double>(host.count());
    if (share >= required) {
        return std::nullopt;
    }
    return Failure{cause::producer_waits, {{"share", percent(share)}, {"required", percent(required)}}, {}, {}};
}

std::optional<Failure> judge_copies_beside_kernels(const Trace& trace, double required) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const double in = timeline::overlap_share(run, OperationKind::host_to_device, OperationKind::kernel);
    const double out = timeline::overlap_share(run, OperationKind::kernel, OperationKind::device_to_host);
    if (std::min(in, out) >= required) {
        return std::nullopt;
    }
    return explain(run, {cause::no_overlap,
                         {{"first", in <= out ? "H2D" : "kernel"},
                          {"second", in <= out ? "kernel" : "D2H"},
                          {"share", percent(std::min(in, out))},
                          {"required", percent(required)}},
                         {},
                         {}});
}

std::optional<Failure> find_idle_device(const Trace& trace, double required) {
    const auto empty = device_runs_empty(timeline::restrict_to_range(trace, run_range));
    return empty ? empty : judge_host_stage_overlap(trace, required);
}

}  // namespace checks
