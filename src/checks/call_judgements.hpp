// What the host's calls cost a program and what they wait for, judged by its trace. Pure functions: a trace goes in, and
// the failure comes out that names the most likely cause, or nothing. Each trace holds one or more ranges "run" around
// the timed part, and "allocate" before it.
#pragma once

#include <chrono>
#include <optional>

#include "checks/failure.hpp"
#include "checks/values.hpp"
#include "device/trace.hpp"
#include "protocol/messages.hpp"

namespace checks {

// The host spends less than `required` of the time of the copies inside the calls that issue them: blocking_copy_calls
// {call, share, required}.
std::optional<Failure> judge_copy_calls(const device::Trace& trace, double required);

// The copies of each direction reach `required` of the rate that `measured`, of one chunk, states for pinned memory:
// slow_copies {direction, rate, required, pinned, times, pageable}, rates in GB/s.
std::optional<Failure> judge_copy_rates(const device::Trace& trace, const Problem& problem,
                                        const protocol::Measurement& measured, double required);

// One buffer is allocated as pinned memory and another is registered, both before run(): pinning_in_run {call, calls},
// nothing_registered, no_pinned_allocation, another_pinned_buffer {calls}.
std::optional<Failure> judge_pinning(const device::Trace& trace);

// The copies in read host_input where the library put it, and no other buffer: input_not_in_place {copies, of}. Only a
// simulated trace tells registered memory from allocated; `findings` tell what host code moved before it was copied.
std::optional<Failure> judge_input_in_place(const device::Trace& trace, const std::vector<device::Finding>& findings);

// run() waits, and for its own stream only: legacy_default_stream, device_wide_wait {call, calls}, no_wait.
std::optional<Failure> judge_wait(const device::Trace& trace);

// The device works during at least `required` of the time in lab::host_work(): host_work_before_device,
// host_work_after_device, host_work_partly_beside {share, required}.
std::optional<Failure> judge_host_work_beside_device(const device::Trace& trace, double required);

}  // namespace checks
