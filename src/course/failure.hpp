// Why a command could not do its work at all (exit status 2), as one line for people.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace course {

class CannotProceed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A source file does not compile: the compiler's own messages come first, then the line.
class DoesNotCompile : public CannotProceed {
public:
    DoesNotCompile(const std::string& line, std::string diagnostics)
        : CannotProceed(line), diagnostics_(std::move(diagnostics)) {}
    const std::string& diagnostics() const { return diagnostics_; }

private:
    std::string diagnostics_;
};

}  // namespace course
