// How well a program uses the host: what its copy calls cost, and whether the host's own work (lab::host_work) is done
// while the device works. Pure functions over traces, which hold one or more ranges "run" around the timed part.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "checks/failure.hpp"
#include "checks/values.hpp"
#include "device/trace.hpp"
#include "timeline/facts.hpp"

namespace checks {

// The copies across the link within run().
struct CopyFigures {
    std::size_t copies = 0;
    // How long the host was in a copy call or a copy was under way, without the time in which kernels ran: a copy call
    // that waits for a kernel is not slow, and a copy beside a kernel costs nothing.
    std::chrono::nanoseconds time{};
    device::SourceLine first;  // where the first of them is made
};
CopyFigures copy_figures(const device::Trace& trace);

// All elements cross the link both ways, in `required` of the rate of large copies or more; `large_copies` is the time
// that these elements take, both ways together, in large copies. no_copies, small_copies.
std::optional<Failure> judge_copy_bandwidth(const device::Trace& trace, const Problem& problem,
                                            std::chrono::nanoseconds large_copies, double required);

// The share of the time in lab::host_work() during which operations of these kinds ran on the device, from 0 to 1; 0
// without host work.
double host_work_share_beside(const device::Trace& trace, const timeline::Kinds& kinds);

// host_work_share_beside() kernels is at least `required`: host_work_before_kernel, host_work_after_kernel,
// host_work_beside_little.
std::optional<Failure> judge_host_work_beside_kernel(const device::Trace& trace, double required);

// lab::host_work() was called exactly once in the last run(): host_work_missing. `done` is what Solved::host_work says.
std::optional<Failure> judge_host_work_done(std::chrono::nanoseconds done, const Problem& problem);

// The same as the trace tells it, for each run() of it: a program that makes host_work() free has no time in it.
std::optional<Failure> judge_host_work_traced(const device::Trace& trace, const Problem& problem);

}  // namespace checks
