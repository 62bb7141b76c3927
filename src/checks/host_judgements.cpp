#include "checks/host_judgements.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/causes.hpp"
#include "checks/figures.hpp"

namespace checks {
namespace {

using device::OperationKind;
using device::Trace;
using std::chrono::nanoseconds;
using timeline::Interval;

constexpr std::string_view run_range = "run";
constexpr std::string_view host_work_range = "host_work";
constexpr double time_tolerance = 0.01;  // each range is a whole number of nanoseconds

std::string milliseconds(nanoseconds time) {
    return decimals(static_cast<double>(time.count()) / 1e6, 2);
}

double ratio(nanoseconds part, nanoseconds whole) {
    return whole.count() > 0 ? static_cast<double>(part.count()) / static_cast<double>(whole.count()) : 0;
}

nanoseconds covered(std::vector<Interval> intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    nanoseconds sum{};
    nanoseconds reached = nanoseconds::min();
    for (const Interval& interval : intervals) {
        sum += std::max(nanoseconds{}, interval.end - std::max(interval.start, reached));
        reached = std::max(reached, interval.end);
    }
    return sum;
}

nanoseconds common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    std::vector<Interval> both = a;
    both.insert(both.end(), b.begin(), b.end());
    return covered(a) + covered(b) - covered(std::move(both));
}

std::vector<Interval> host_work_in(const Trace& run) {
    std::vector<Interval> work;
    for (const device::Range& range : run.ranges) {
        if (range.name == host_work_range) {
            work.push_back({range.start, range.end});
        }
    }
    return work;
}

std::vector<Interval> copying_in(const Trace& run) {
    std::vector<Interval> copying = timeline::busy_intervals(run, timeline::link_copies());
    for (const device::HostCall& call : run.host_calls) {
        if (call.name.starts_with("cudaMemcpy")) {
            copying.push_back({call.start, call.end});
        }
    }
    return copying;
}

std::uint64_t bytes_moved(const Trace& run, OperationKind kind) {
    std::uint64_t bytes = 0;
    for (const device::Operation& operation : run.operations) {
        bytes += operation.kind == kind ? operation.bytes : 0;
    }
    return bytes;
}

std::optional<Failure> missing_copies(const Trace& run, const Problem& problem) {
    for (const auto& [kind, direction] :
         {std::pair(OperationKind::host_to_device, "H2D"), std::pair(OperationKind::device_to_host, "D2H")}) {
        if (const std::uint64_t bytes = bytes_moved(run, kind); bytes < problem.bytes()) {
            return Failure{cause::no_copies,
                           {{"direction", direction},
                            {"bytes", std::to_string(bytes)},
                            {"required", std::to_string(problem.bytes())}},
                           {},
                           {}};
        }
    }
    return std::nullopt;
}

Failure missing_host_work(nanoseconds done, const Problem& problem) {
    return {cause::host_work_missing,
            {{"elements", std::to_string(problem.elements)},
             {"done", milliseconds(done)},
             {"required", milliseconds(problem.host_work)}},
            {},
            {}};
}

double gigabytes_per_second(std::uint64_t bytes, nanoseconds time) {
    return time.count() > 0 ? static_cast<double>(bytes) / static_cast<double>(time.count()) : 0;
}

}  // namespace

CopyFigures copy_figures(const Trace& trace) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const timeline::Kinds across = timeline::link_copies();
    CopyFigures figures;
    for (const device::Operation& operation : run.operations) {
        if (across.contains(operation.kind)) {
            figures.first = figures.copies == 0 ? operation.at : figures.first;
            ++figures.copies;
        }
    }
    const std::vector<Interval> copying = copying_in(run);
    const std::vector<Interval> kernels = timeline::busy_intervals(run, OperationKind::kernel);
    figures.time = covered(copying) - common(copying, kernels);
    return figures;
}

std::optional<Failure> judge_copy_bandwidth(const Trace& trace, const Problem& problem, nanoseconds large_copies,
                                            double required) {
    if (const auto missing = missing_copies(timeline::restrict_to_range(trace, run_range), problem)) {
        return missing;
    }
    const CopyFigures figures = copy_figures(trace);
    if (static_cast<double>(large_copies.count()) >= required * static_cast<double>(figures.time.count())) {
        return std::nullopt;
    }
    // Only the bytes that the problem needs count: copying some of them twice is no bandwidth gained.
    const std::uint64_t bytes = 2 * problem.bytes();
    return Failure{cause::small_copies,
                   {{"copies", std::to_string(figures.copies)},
                    {"rate", decimals(gigabytes_per_second(bytes, figures.time), 2)},
                    {"large_rate", decimals(gigabytes_per_second(bytes, large_copies), 2)},
                    {"share", percent(ratio(large_copies, figures.time))},
                    {"required", percent(required)}},
                   figures.first,
                   {}};
}

double host_work_share_beside(const Trace& trace, const timeline::Kinds& kinds) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const std::vector<Interval> work = host_work_in(run);
    return ratio(common(work, timeline::busy_intervals(run, kinds)), covered(work));
}

std::optional<Failure> judge_host_work_beside_kernel(const Trace& trace, double required) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const std::vector<Interval> work = host_work_in(run);
    const std::vector<Interval> kernels = timeline::busy_intervals(run, OperationKind::kernel);
    if (kernels.empty()) {
        return Failure{cause::no_kernel, {}, {}, {}};
    }
    const double share = host_work_share_beside(trace, OperationKind::kernel);
    if (share >= required) {
        return std::nullopt;
    }
    const Arguments arguments{{"share", percent(share)}, {"required", percent(required)}};
    const nanoseconds middle = work.empty() ? nanoseconds{} : work.front().start + work.front().length() / 2;
    // A measured trace joins two clocks, so the middle is compared and not the ends.
    if (!work.empty() && middle <= kernels.front().start) {
        return Failure{cause::host_work_before_kernel, arguments, {}, {}};
    }
    if (!work.empty() && middle >= kernels.back().end) {
        return Failure{cause::host_work_after_kernel, arguments, {}, {}};
    }
    return Failure{cause::host_work_beside_little, arguments, {}, {}};
}

std::optional<Failure> judge_host_work_done(nanoseconds done, const Problem& problem) {
    if (done == problem.host_work) {
        return std::nullopt;
    }
    return missing_host_work(done, problem);
}

std::optional<Failure> judge_host_work_traced(const Trace& trace, const Problem& problem) {
    const Trace run = timeline::restrict_to_range(trace, run_range);
    const auto runs = std::count_if(run.ranges.begin(), run.ranges.end(),
                                    [](const device::Range& range) { return range.name == run_range; });
    const nanoseconds done = covered(host_work_in(run)) / std::max<std::ptrdiff_t>(1, runs);
    if (ratio(done, problem.host_work) >= 1 - time_tolerance || problem.host_work == nanoseconds{}) {
        return std::nullopt;
    }
    return missing_host_work(done, problem);
}

}  // namespace checks
