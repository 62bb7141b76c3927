// What a program does when a CUDA call fails: each call that can fail is made to fail once, on the simulated device.
#pragma once

#include <filesystem>
#include <optional>

#include "checks/session.hpp"

namespace checks {

// Solves `problem` once for each call that can fail, with that call failing. Some function must return an error,
// nothing may crash or hang, and nothing may be leaked: error_ignored, crashed_after_error, never_returned_after_error,
// leaked_after_error. Throws CheckFailed when the program already misbehaves without a failing call.
std::optional<Failure> judge_error_handling(Session& session, const std::filesystem::path& program,
                                            const Problem& problem);

}  // namespace checks
