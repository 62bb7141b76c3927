// Running a program with a trace of what it did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/devices.hpp"
#include "course/process.hpp"
#include "course/programs.hpp"
#include "device/trace.hpp"

namespace course {

enum class ProgramOutput { passed_through, kept };

struct TracedRun {
    ProcessResult process;
    std::optional<device::Trace> trace;  // empty when the program left none
};

inline constexpr int timed_out = 124;  // the status by which timeout(1) says so

struct RunRequest {
    Subject subject;
    BuildOptions build = {};
    std::vector<std::string> arguments = {};
    ProgramOutput output = ProgramOutput::passed_through;
    unsigned time_limit_seconds = 0;  // afterwards it is ended, with status timed_out; 0: no limit
    std::uint64_t fail_call = 0;  // on the simulated device: this call of those that can fail, from 1, fails; 0: none
};

// Builds the program for the device and runs it. Throws DoesNotCompile or CannotProceed.
TracedRun run_traced(const Project& project, const ChosenDevice& device, const RunRequest& request);

// How a program ended that did not end with status 0: what the user is told, in one line. Its trace may say why.
std::string ending_text(const TracedRun& run);

}  // namespace course
