// Running another program and waiting for it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace course {

struct Command {
    std::vector<std::string> arguments;  // the first names the program, looked up in PATH
    std::map<std::string, std::string> environment;  // added to ours
    std::filesystem::path directory;                 // empty: where we are
};

struct ProcessResult {
    int exit_status = 0;  // 128 + signal number when a signal ended it
    std::string output;   // stdout and stderr together; empty when passed through
};

// Both throw CannotProceed when the program cannot be started.
ProcessResult run_passing_through(const Command& command);
ProcessResult run_captured(const Command& command);

// Absolute path of `name` in PATH; empty when it is not there.
std::filesystem::path find_in_path(const std::string& name);

}  // namespace course
