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

// Builds the subject for the device and runs it. Throws DoesNotCompile or CannotProceed.
TracedRun run_traced(const Project& project, const Subject& subject, const ChosenDevice& device,
                     const std::vector<std::string>& arguments, ProgramOutput output);

}  // namespace course
