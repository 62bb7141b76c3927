// What is wrong with a pipeline, judged by its trace. Pure functions: a trace goes in, and the failure comes out that
// names the most likely cause, or nothing. Each trace holds one or more ranges "run" around the timed part.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "checks/failure.hpp"
#include "checks/values.hpp"
#include "device/trace.hpp"

namespace checks {

// Work was still under way when run() returned: output_read_early.
std::optional<Failure> judge_completeness(const device::Trace& trace);

// All elements cross the link in pinned, asynchronous copies: no_copies, pageable_copies, synchronous_copies.
std::optional<Failure> judge_copies(const device::Trace& trace, const Problem& problem);

// Each pair of H2D, kernels and D2H overlaps for at least `required` of the shorter one's busy time (the two
// directions only where the device has two copy engines). When it does not, the cause is looked for: one_stream,
// legacy_default_stream, not_in_chunks, device_wide_sync_in_loop, stream_sync_in_loop, otherwise no_overlap.
std::optional<Failure> judge_overlap(const device::Trace& trace, const Problem& problem, double required);

// A reason in the program for being slow although everything overlaps somewhat: device_wide_sync_in_loop.
std::optional<Failure> find_device_wide_sync(const device::Trace& trace);

// Something in run() was issued to the legacy default stream: legacy_default_stream.
std::optional<Failure> find_legacy_default_stream(const device::Trace& trace);

// Kernels ran for at least `required` of `expected`, not counting what each takes without any work (`launch`): no_kernel
// (computed on the CPU), too_little_kernel_work.
std::optional<Failure> judge_kernel_work(const device::Trace& trace, std::chrono::nanoseconds expected, double required,
                                         std::chrono::nanoseconds launch = {});

// Errors of the ordering checker and the other access checks: unordered_access, copy_out_of_bounds, device_finding.
std::optional<Failure> judge_accesses(const std::vector<device::Finding>& findings);

// Every result came by a copy from the device: results_without_copy.
std::optional<Failure> judge_results_copied(const std::vector<device::Finding>& findings);

// leaked_device_memory, leaked_host_memory, leaked_stream, leaked_event.
std::optional<Failure> judge_leaks(const std::vector<device::Finding>& findings);

// The findings of that kind, errors and warnings: a failure whose cause is the kind.
std::optional<Failure> findings_of_kind(const std::vector<device::Finding>& findings, const char* kind);

// A call failed in an ordinary run and nobody looked: unchecked_error.
std::optional<Failure> judge_unchecked_errors(const std::vector<device::Finding>& findings);

}  // namespace checks
