// Runs another program and collects what it prints.
#pragma once

#include <string>
#include <vector>

namespace compiler {

struct ChildResult {
    int exit_status = 0;  // 128 + the signal's number after a signal, as in a shell
    std::string output;   // standard output and standard error, as they came
};

// Runs `arguments[0]` (found in PATH) with `arguments`, without a shell, and waits for its end.
// Throws std::system_error when it cannot be started.
ChildResult run_child(const std::vector<std::string>& arguments);

}  // namespace compiler
