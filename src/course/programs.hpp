// Compiled programs, kept under build/programs: a program is compiled again only when the content of a file that it was
// compiled from, or a library that it is linked with, has changed.
#pragma once

#include <filesystem>

#include "course/commands.hpp"
#include "course/devices.hpp"
#include "course/project.hpp"

namespace course {

struct ProgramRequest {
    std::filesystem::path source;
    Target target = Target::simulated;
    BuildOptions options = {};
};

// The path of the program. Throws DoesNotCompile with the compiler's messages, or CannotProceed.
std::filesystem::path build_program(const Project& project, const ProgramRequest& request);

// A lab or a file, as `run` and `timeline` take it.
struct Subject {
    std::filesystem::path source;
    bool lab = false;
};

// Throws CannotProceed when `target` is neither a lab nor a file.
Subject find_subject(const Project& project, const std::string& target, bool solution);

// Throws CannotProceed when there is no such file, or it is not one.
void require_file(const std::filesystem::path& file);

}  // namespace course
