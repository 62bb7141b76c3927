#include "checks/trace_judgements.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "checks/causes.hpp"
#include "checks/figures.hpp"
#include "timeline/facts.hpp"

namespace checks {
namespace {

using device::HostCall;
using device::HostMemory;
using device::Operation;
using device::OperationKind;
using device::Trace;

constexpr std::string_view run_range = "run";

// A measured trace joins two clocks, the host's and the GPU's; virtual time has one.
constexpr std::chrono::microseconds clock_tolerance{20};

// Copies of the link for which `holds` is true: how many of how many, and the first one's line.
template <typename Predicate>
std::optional<Failure> judge_each_copy(const Trace& run, const char* cause, Predicate holds) {
    std::size_t copies = 0;
    std::size_t bad = 0;
    const Operation* first = nullptr;
    for (const Operation& operation : run.operations) {
        if (timeline::crosses_the_link(operation)) {
            ++copies;
            if (holds(operation)) {
                ++bad;
                first = first == nullptr ? &operation : first;
            }
        }
    }
    if (bad == 0) {
        return std::nullopt;
    }
    return because(cause, {{"copies", std::to_string(bad)}, {"of", std::to_string(copies)}, {"call", first->name}},
                   first->at);
}

std::uint64_t bytes_moved(const Trace& run, OperationKind kind) {
    std::uint64_t bytes = 0;
    for (const Operation& operation : run.operations) {
        bytes += operation.kind == kind ? operation.bytes : 0;
    }
    return bytes;
}

std::chrono::nanoseconds last_run_end(const Trace& trace) {
    std::chrono::nanoseconds end{};
    for (const device::Range& range : trace.ranges) {
        end = range.name == run_range ? std::max(end, range.end) : end;
    }
    return end;
}

std::set<std::uint32_t> streams_of(const Trace& run) {
    std::set<std::uint32_t> streams;
    for (const Operation& operation : run.operations) {
        streams.insert(operation.stream);
    }
    return streams;
}

const Operation* first_on_default_stream(const Trace& run) {
    const auto found = std::find_if(run.operations.begin(), run.operations.end(),
                                    [](const Operation& operation) { return operation.stream == 0; });
    return found == run.operations.end() ? nullptr : &*found;
}

// Calls with one of these names while there was still work to issue: those are inside the loop over the chunks.
std::vector<const HostCall*> calls_before_last_issue(const Trace& run, const std::set<std::string>& names) {
    std::vector<const HostCall*> found;
    if (run.operations.empty()) {
        return found;
    }
    const auto last_issue = run.operations.back().issued;
    for (const HostCall& call : run.host_calls) {
        if (names.contains(call.name) && call.start < last_issue && call.start > run.operations.front().issued) {
            found.push_back(&call);
        }
    }
    return found;
}

std::optional<Failure> synchronization_in_loop(const Trace& run, const char* cause,
                                               const std::set<std::string>& names) {
    const auto calls = calls_before_last_issue(run, names);
    if (calls.size() < 2) {
        return std::nullopt;
    }
    return because(cause, {{"calls", std::to_string(calls.size())}, {"call", calls.front()->name}}, calls.front()->at);
}

std::optional<Failure> default_stream_used(const Trace& run) {
    const Operation* first = first_on_default_stream(run);
    if (first == nullptr) {
        return std::nullopt;
    }
    const auto on_it = std::count_if(run.operations.begin(), run.operations.end(),
                                     [](const Operation& operation) { return operation.stream == 0; });
    return because(cause::legacy_default_stream,
                   {{"operations", std::to_string(on_it)}, {"of", std::to_string(run.operations.size())}}, first->at);
}

struct Pair {
    const char* first;
    const char* second;
    OperationKind a;
    OperationKind b;
};

constexpr Pair pairs[] = {{"H2D", "kernel", OperationKind::host_to_device, OperationKind::kernel},
                          {"kernel", "D2H", OperationKind::kernel, OperationKind::device_to_host},
                          {"H2D", "D2H", OperationKind::host_to_device, OperationKind::device_to_host}};

// The pair that overlaps least, when that is too little.
std::optional<Failure> least_overlap(const Trace& run, double required) {
    const Pair* worst = nullptr;
    double least = required;
    for (const Pair& pair : pairs) {
        const bool between_copies = pair.a != OperationKind::kernel && pair.b != OperationKind::kernel;
        if (between_copies && run.copy_engines == 1) {
            continue;
        }
        const double share = timeline::overlap_share(run, pair.a, pair.b);
        if (share < least) {
            least = share;
            worst = &pair;
        }
    }
    if (worst == nullptr) {
        return std::nullopt;
    }
    return because(cause::no_overlap, {{"first", worst->first},
                                       {"second", worst->second},
                                       {"share", percent(least)},
                                       {"required", percent(required)}});
}

// Why nothing overlaps, from the most to the least certain.
Failure explain(const Trace& run, const Problem& problem, Failure no_overlap) {
    if (const auto used = default_stream_used(run)) {
        return *used;
    }
    if (streams_of(run).size() == 1) {
        return because(cause::one_stream, {{"operations", std::to_string(run.operations.size())}},
                       run.operations.front().at);
    }
    if (timeline::count_operations(run, OperationKind::kernel) < 2) {
        return because(cause::not_in_chunks, {{"kernels", std::to_string(timeline::count_operations(run, OperationKind::kernel))},
                                              {"chunks", std::to_string(problem.chunks())}});
    }
    if (const auto waiting = synchronization_in_loop(run, cause::device_wide_sync_in_loop, {"cudaDeviceSynchronize"})) {
        return *waiting;
    }
    if (const auto waiting = synchronization_in_loop(run, cause::stream_sync_in_loop,
                                                     {"cudaStreamSynchronize", "cudaEventSynchronize"})) {
        return *waiting;
    }
    return no_overlap;
}

// The first finding for which `wanted` holds, with all of them attached.
template <typename Predicate>
std::optional<Failure> from_findings(const std::vector<device::Finding>& findings, const std::string& cause,
                                     Predicate wanted) {
    Failure failure{cause, {}, {}, {}};
    for (const device::Finding& finding : findings) {
        if (wanted(finding)) {
            failure.findings.push_back(finding);
        }
    }
    if (failure.findings.empty()) {
        return std::nullopt;
    }
    failure.source = failure.findings.front().at;
    failure.arguments["count"] = std::to_string(failure.findings.size());
    failure.arguments["kind"] = failure.findings.front().kind;
    return failure;
}

bool is_error_of_kind(const device::Finding& finding, std::string_view kind) {
    return finding.severity == device::Severity::error && finding.kind == kind;
}

bool is_about_an_access(const device::Finding& finding) {
    return finding.severity == device::Severity::error && !finding.kind.starts_with("leaked_") &&
           finding.kind != cause::unchecked_error;
}

}  // namespace

std::optional<Failure> judge_completeness(const Trace& trace) {
    std::vector<Operation> late = timeline::operations_after_range_end(trace, run_range);
    if (!trace.simulated) {
        const auto end = last_run_end(trace);
        std::erase_if(late, [end](const Operation& operation) { return operation.end <= end + clock_tolerance; });
    }
    if (late.empty()) {
        return std::nullopt;
    }
    return because(cause::output_read_early, {{"operations", std::to_string(late.size())}, {"name", late.front().name}},
                   late.front().at);
}

std::optional<Failure> judge_copies(const Trace& trace, const Problem& problem) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    for (const auto& [kind, direction] :
         {std::pair(OperationKind::host_to_device, "H2D"), std::pair(OperationKind::device_to_host, "D2H")}) {
        if (bytes_moved(run, kind) < problem.bytes()) {
            return because(cause::no_copies, {{"direction", direction},
                                              {"bytes", std::to_string(bytes_moved(run, kind))},
                                              {"required", std::to_string(problem.bytes())}});
        }
    }
    if (const auto pageable = judge_each_copy(run, cause::pageable_copies, [](const Operation& operation) {
            return operation.host_memory == HostMemory::pageable || operation.host_memory == HostMemory::none;
        })) {
        return pageable;
    }
    return judge_each_copy(run, cause::synchronous_copies,
                           [](const Operation& operation) { return !operation.asynchronous; });
}

std::optional<Failure> judge_overlap(const Trace& trace, const Problem& problem, double required) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    if (run.operations.empty()) {
        return because(cause::no_kernel, {});
    }
    const std::optional<Failure> missing = least_overlap(run, required);
    return missing ? std::optional(explain(run, problem, *missing)) : std::nullopt;
}

std::optional<Failure> find_device_wide_sync(const Trace& trace) {
    return synchronization_in_loop(timeline::restrict_to_range(trace, run_range), cause::device_wide_sync_in_loop,
                                   {"cudaDeviceSynchronize"});
}

std::optional<Failure> find_legacy_default_stream(const Trace& trace) {
    return default_stream_used(timeline::restrict_to_range(trace, run_range));
}

std::optional<Failure> judge_kernel_work(const Trace& trace, std::chrono::nanoseconds expected, double required,
                                         std::chrono::nanoseconds launch) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const std::size_t kernels = timeline::count_operations(run, OperationKind::kernel);
    if (kernels == 0) {
        return because(cause::no_kernel, {});
    }
    const std::chrono::nanoseconds worked = std::max(timeline::kernel_total(run) - kernels * launch, {});
    const double share = static_cast<double>(worked.count()) / static_cast<double>(expected.count());
    if (share >= required) {
        return std::nullopt;
    }
    return because(cause::too_little_kernel_work, {{"share", percent(share)}, {"required", percent(required)}});
}

std::optional<Failure> judge_accesses(const std::vector<device::Finding>& findings) {
    for (const char* kind : {cause::unordered_access, cause::copy_out_of_bounds}) {
        if (const auto found = from_findings(
                findings, kind, [kind](const device::Finding& finding) { return is_error_of_kind(finding, kind); })) {
            return found;
        }
    }
    return from_findings(findings, cause::device_finding, is_about_an_access);
}

std::optional<Failure> findings_of_kind(const std::vector<device::Finding>& findings, const char* kind) {
    return from_findings(findings, kind, [kind](const device::Finding& finding) { return finding.kind == kind; });
}

std::optional<Failure> judge_results_copied(const std::vector<device::Finding>& findings) {
    return findings_of_kind(findings, cause::results_without_copy);
}

std::optional<Failure> judge_leaks(const std::vector<device::Finding>& findings) {
    for (const char* kind :
         {cause::leaked_device_memory, cause::leaked_host_memory, cause::leaked_stream, cause::leaked_event}) {
        if (const auto found = findings_of_kind(findings, kind)) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<Failure> judge_unchecked_errors(const std::vector<device::Finding>& findings) {
    return findings_of_kind(findings, cause::unchecked_error);
}

}  // namespace checks
