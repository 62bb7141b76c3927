// What an experiment measured, and what is kept of it beside its chapter.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "course/experiments.hpp"

namespace course {

struct MeasuredColumn {
    std::string name;
    std::string unit;
};

struct MeasuredTable {
    std::string title;
    std::vector<MeasuredColumn> columns;
    std::vector<std::vector<std::variant<double, std::string>>> rows;
};

// One finding on a statement: what was looked at, and the figure that decided.
struct ClaimFinding {
    std::string claim;
    std::string seen;
    std::string decided_by;
    std::string verdict;  // "holds", "does not hold", "cannot be shown here"
};

// Where and when it was measured.
struct MeasuredOn {
    std::string device;  // "NVIDIA H200", "NVIDIA H200 (simulated)"
    bool simulated = false;
    unsigned copy_engines = 0;
    std::string driver;
    std::string toolkit;
    std::string date;  // 2026-11-30
    std::string link;  // "PCIe 5 x16"; empty where it is not known
};

struct ExperimentResults {
    MeasuredOn on;
    std::vector<MeasuredTable> tables;
    std::vector<ClaimFinding> findings;

    std::vector<ClaimFinding> findings_on(const std::string& claim) const;
};

// True when every finding holds, false when none does, half true in between; one that cannot be shown decides for all.
Verdict verdict_of(const std::vector<ClaimFinding>& findings);

// The file that a program wrote with --results. Throws CannotProceed when it cannot be read, when a statement of the
// experiment has no finding, or when a finding is on none of its statements.
ExperimentResults read_results(const std::filesystem::path& file, const Experiments& all, const Experiment& experiment);

// A recorded verdict, and since when it has been the same.
struct RecordedVerdict {
    Verdict verdict = Verdict::is_true;
    std::string since;
    std::vector<ClaimFinding> findings;
};

struct Record {
    MeasuredOn on;
    std::map<std::string, RecordedVerdict> verdicts;  // by claim
};

// A device's name in file names: "sim", "h200".
std::string device_tag(const MeasuredOn& on);

// Writes measured/NAME_TAG.json and .csv beside the experiment; returns their paths. A record that would say the same
// is left as it is, with its date. Throws CannotProceed when they cannot be written.
std::vector<std::filesystem::path> write_record(const Experiment& experiment, const ExperimentResults& results);

// Every record of the experiment, by tag.
std::map<std::string, Record> read_records(const Experiment& experiment);

}  // namespace course
