// What a check program found, as data: `course` renders it, the grader stores it. Texts are found by id in
// src/messages: "check.<id>" is a check's name, "cause.<cause>" what happened, "cause.<cause>.next" what to try.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checks/failure.hpp"
#include "device/trace.hpp"

namespace checks {

enum class Verdict { pass, fail, skip, inconclusive };

struct CheckResult {
    std::string id;
    Verdict verdict = Verdict::pass;
    double points = 0;
    double max_points = 0;
    std::string cause;    // empty when passed
    Arguments arguments;  // values that the texts of the cause name
    device::SourceLine source;
    std::vector<device::Finding> findings;  // of the simulated device: messages::describe() renders them
};

// Speedups over the serial version, and shares of the attainable gain.
struct SpeedResult {
    double speedup = 0;
    double required = 0;
    double full = 0;
    double attainable = 0;
    double share = 0;
    double share_low = 0;  // the confidence interval
    double share_high = 0;
    double required_share = 0;
    double full_share = 0;
    unsigned pairs = 0;
    std::uint64_t time_ns = 0;  // medians
    std::uint64_t serial_time_ns = 0;
    std::uint64_t bound_time_ns = 0;
};

struct Results {
    std::string lab;
    std::string device;  // "NVIDIA H200"
    bool simulated = false;
    std::string profile;
    std::uint64_t seed = 0;
    double points = 0;
    double max_points = 0;
    std::optional<SpeedResult> speed;
    std::vector<CheckResult> checks;  // in the order of the check program

    // Whether every check passed; one that could not be judged counts as not passed.
    bool passed() const;
};

const char* name_of(Verdict verdict);

// Adds up the points of the checks. A skipped check still counts in what could have been reached.
void add_up(Results& results);

// Writes JSON; the same results give the same bytes. Throws std::runtime_error when it cannot be written.
void write_results(const std::filesystem::path& file, const Results& results);

// Throws std::runtime_error naming the file and what is wrong with it.
Results read_results(const std::filesystem::path& file);

}  // namespace checks
