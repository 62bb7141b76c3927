// The statements that the chapters and the course text make, and the experiments that measure them: what
// chapters/NN_name/claims.json lists.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "course/project.hpp"

namespace course {

// What an experiment says of a statement: each of its findings on it holds, none does, some do, or this device cannot
// show it.
enum class Verdict { is_true, is_false, half_true, cannot_be_shown };

// "true", "false", "half true", "cannot be shown", as the files spell them.
const char* name_of(Verdict verdict);

// Throws std::runtime_error when there is no such verdict.
Verdict verdict_named(const std::string& name);

// One text in both languages.
struct Bilingual {
    std::string english;
    std::string chinese;

    const std::string& here() const;  // in the reader's language
};

struct Experiment {
    std::string name;     // "pageable-async"
    std::string chapter;  // "02_pinned_async"
    Bilingual title;
    std::filesystem::path source;  // chapters/02_pinned_async/pageable_async.cu
    std::vector<std::string>
        expected_findings;  // kinds that the simulated device is to find: the experiment shows a fault

    bool written() const { return std::filesystem::exists(source); }
};

struct Claim {
    std::string id;
    std::string section;  // "2.2" of the course text, or "chapter 3"
    Bilingual statement;
    std::string experiment;                       // empty: cannot be measured
    std::optional<Bilingual> cannot_be_measured;  // why
    Verdict expected = Verdict::is_true;
    Verdict expected_on_sim = Verdict::is_true;
    std::optional<Bilingual> instead;  // what holds, where the statement is false or half true
};

struct Experiments {
    std::vector<Experiment> experiments;  // in the order of the chapters and of their files
    std::vector<Claim> claims;

    // "pageable-async" or "pageable_async"; null when there is none.
    const Experiment* find(const std::string& name) const;
    std::vector<const Claim*> claims_of(const Experiment& experiment) const;
};

// Throws CannotProceed naming the file and what is wrong with it.
Experiments read_experiments(const Project& project);

}  // namespace course
