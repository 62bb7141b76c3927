// Why a check did not pass: a cause (causes.hpp), the values that its text names, and a line of the student's file.
#pragma once

#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/trace.hpp"

namespace checks {

using Arguments = std::map<std::string, std::string>;

struct Failure {
    std::string cause;
    Arguments arguments;
    device::SourceLine source;
    std::vector<device::Finding> findings;  // of the simulated device, where they are the reason
};

inline Failure because(const char* cause, Arguments arguments, device::SourceLine at = {}) {
    return {cause, std::move(arguments), std::move(at), {}};
}

// Thrown where a check fails; LabTest::judge turns it into a verdict.
class CheckFailed : public std::exception {
public:
    explicit CheckFailed(Failure failure) : failure_(std::move(failure)) {}
    CheckFailed(std::string cause, Arguments arguments) : failure_{std::move(cause), std::move(arguments), {}, {}} {}
    const Failure& failure() const { return failure_; }
    const char* what() const noexcept override { return failure_.cause.c_str(); }

private:
    Failure failure_;
};

// Thrown where nothing can be said: too much noise, or something that this machine lacks.
class NotJudged : public std::exception {
public:
    enum class Kind { skipped, inconclusive };

    NotJudged(Kind kind, Failure reason) : kind_(kind), reason_(std::move(reason)) {}
    Kind kind() const { return kind_; }
    const Failure& reason() const { return reason_; }
    const char* what() const noexcept override { return reason_.cause.c_str(); }

private:
    Kind kind_;
    Failure reason_;
};

// The checks themselves cannot go on (no baseline, no device): exit status 2, not a fault of the student.
class CannotCheck : public std::exception {
public:
    explicit CannotCheck(std::string message) : message_(std::move(message)) {}
    const char* what() const noexcept override { return message_.c_str(); }

private:
    std::string message_;
};

}  // namespace checks
