// Habits that cost a pipeline its throughput, judged by its trace: each has a cause of its own. Pure functions; a trace
// goes in that holds a range "run" around the timed part, and the failure comes out, or nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "checks/failure.hpp"
#include "device/trace.hpp"

namespace checks {

// Memory, streams or events are made or given back in run(): allocation_in_run. Stream-ordered allocation
// (cudaMallocAsync) is made for that, and allowed.
std::optional<Failure> judge_allocations(const device::Trace& trace);

// Sizes of copies, in bytes, that are known not to suit a device; what lies between was not measured, or is fine.
struct CopyLimits {
    std::uint64_t too_small = 0;           // this size and smaller ones
    std::uint64_t too_large = UINT64_MAX;  // this size and larger ones
};

// How fast copies of one size are here.
struct CopyRate {
    std::uint64_t bytes = 0;
    std::chrono::nanoseconds time{};
    double fill_share = 0;  // of a pipeline's time that is spent filling and draining it, in chunks of that size
};

// From measurements of some sizes: too small is what stays below `required_rate` of the best rate of all, too large
// what has a fill_share above `allowed_fill`. Throws std::invalid_argument without rates.
CopyLimits copy_limits(const std::vector<CopyRate>& rates, double required_rate, double allowed_fill);

// Copies over the link are within the limits: copies_too_small when more than a quarter of the bytes moves in smaller ones
// (the last chunk may be short), copies_too_large for the first larger one.
std::optional<Failure> judge_copy_sizes(const device::Trace& trace, const CopyLimits& limits);

// Fewer streams have work than the device has engines to keep busy (each copy engine, and the kernels):
// too_few_streams.
std::optional<Failure> judge_stream_count(const device::Trace& trace);

// All copies of both directions are in one stream although two copy engines could work at once:
// one_stream_for_both_directions.
std::optional<Failure> judge_directions(const device::Trace& trace);

// The program's own time of the last run() comes from events (otherwise timed_by_host_clock) and agrees with the time from
// the start of its first operation to the end of its last: otherwise wrong_reported_time.
std::optional<Failure> judge_reported_time(const device::Trace& trace, float reported_ms);

// allocate() timed copies of at least two sizes (otherwise not_measured), and the size that run() uses most is one of them
// (otherwise choice_not_measured).
std::optional<Failure> judge_choice(const device::Trace& trace);

}  // namespace checks
