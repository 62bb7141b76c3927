// The fake lab program, as the tests start it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "checks/lab_process.hpp"
#include "checks/session.hpp"

namespace checks::testing_programs {

// Short, so that a hang costs little; long enough for a loaded machine to answer.
inline constexpr Limits patient{std::chrono::seconds(20), std::chrono::seconds(20)};
inline constexpr Limits impatient{std::chrono::milliseconds(300), std::chrono::milliseconds(300)};

inline Launch fake_lab(const std::string& mode, Limits limits = patient) {
    return {FAKE_LAB_PROGRAM, {{"FAKE_LAB", mode}}, limits};
}

// Sessions start programs with the environment of this process.
inline Options options_for(const std::string& mode, Limits limits = patient) {
    ::setenv("FAKE_LAB", mode.c_str(), 1);
    Options options;
    options.lab = "fake";
    options.program = FAKE_LAB_PROGRAM;
    options.baseline = FAKE_LAB_PROGRAM;
    options.seed = 7;
    options.limits = limits;
    return options;
}

}  // namespace checks::testing_programs
