// What a program does when a CUDA call fails: each call that can fail is made to fail once, on the simulated device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "checks/session.hpp"

namespace checks {

// Which of `calls` calls, counted from 1, are made to fail, in ascending order: all, up to a few hundred. Of more, the first
// and the last ones, and some between: those of a loop that measures are the same lines again, and a cycle for each takes
// time that grows with the square of their number.
std::vector<std::uint64_t> calls_to_fail(std::uint64_t calls);

// Solves `problem` once for each of calls_to_fail(), with that call failing. Some function must return an error,
// nothing may crash or hang, and nothing may be leaked: error_ignored, crashed_after_error, never_returned_after_error,
// leaked_after_error. Throws CheckFailed when the program already misbehaves without a failing call.
std::optional<Failure> judge_error_handling(Session& session, const std::filesystem::path& program,
                                            const Problem& problem);

}  // namespace checks
