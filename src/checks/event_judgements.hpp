// What is wrong with a program that measures and orders by events, judged by its trace and the findings of the
// simulated device. Pure functions: what was seen goes in, and the failure comes out, or nothing.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "checks/failure.hpp"
#include "checks/session.hpp"
#include "checks/values.hpp"
#include "device/trace.hpp"

namespace checks {

// What the program says of its stages, against what ran within the range "measure_stages": all elements cross the
// link both ways and the kernels run for about `kernel_work` (stage_not_run), the times are those of the
// trace within 5 % and a few microseconds (stage_times_off; 25 % where few events are asked), and they come from events
// (not_timed_by_events).
std::optional<Failure> judge_stage_times(const device::Trace& trace, const Problem& problem,
                                         std::chrono::nanoseconds kernel_work, const StageMilliseconds& reported);

// Within "run" no stream serves two roles (H2D copies, kernels, D2H copies): legacy_default_stream,
// roles_share_a_stream.
std::optional<Failure> judge_roles(const device::Trace& trace);

// Within "run" the host waits for nothing, and asks for nothing, while there is work left to issue: host_waits_in_loop.
std::optional<Failure> judge_host_waits(const device::Trace& trace);

// A role that runs as a whole only after another role has ended, although the data come in several chunks:
// roles_take_turns.
std::optional<Failure> find_roles_in_turn(const device::Trace& trace);

// Waits that could never wait for anything: waits_for_nothing.
std::optional<Failure> judge_waits(const std::vector<device::Finding>& findings);

// Events with timing that only order streams: timing_event_orders.
std::optional<Failure> judge_ordering_events(const std::vector<device::Finding>& findings);

}  // namespace checks
