// What is wrong with a pipeline whose host produces every chunk and consumes its results, judged by its trace: the
// ranges "produce" and "consume" stand for the host's two stages. Pure functions, like those of trace_judgements.hpp:
// each trace holds one or more ranges "run".
#pragma once

#include <optional>

#include "checks/failure.hpp"
#include "checks/values.hpp"
#include "device/trace.hpp"

namespace checks {

// Every element went through produce() once and through consume() once in each run: host_stage_incomplete,
// host_stage_repeated. Told by the time that the stages took, which on the simulated device is exactly
// problem.host_copy for a chunk, and on a GPU at least that; says nothing when that is 0.
std::optional<Failure> judge_host_stages(const device::Trace& trace, const Problem& problem);

// The device ran a kernel or a copy during at least `required` of the time in produce() and consume(): producer_waits.
std::optional<Failure> judge_host_stage_overlap(const device::Trace& trace, double required);

// Copies in, and copies out, each overlap with kernels for at least `required` of the shorter one's busy time. (Nothing
// is said of the two directions: where copies are short beside the other stages, they need not meet.) Otherwise
// legacy_default_stream, device_runs_empty, one_stream, or no_overlap.
std::optional<Failure> judge_copies_beside_kernels(const device::Trace& trace, double required);

// A reason in the program for being slow although it overlaps somewhat: device_runs_empty; producer_waits, by
// judge_host_stage_overlap.
std::optional<Failure> find_idle_device(const device::Trace& trace, double required);

}  // namespace checks
