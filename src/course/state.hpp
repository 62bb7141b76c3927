// What is remembered between calls: the last result of each lab, and the last hint.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "course/project.hpp"

namespace course {

struct NotedCheck {
    std::string id;
    std::string cause;  // empty when it did not fail
};

struct GivenHint {
    NotedCheck check;
    int level = 0;  // from 1; 0: none was given
};

struct LabState {
    bool checked = false;
    bool reset = false;  // the starter was put back, and nothing was checked since
    bool passed = false;
    double points = 0;
    double possible_points = 0;
    bool simulated = true;
    std::vector<NotedCheck> failed_checks;   // in the order of the checks
    std::vector<NotedCheck> partial_checks;  // passed with fewer than their full points
    GivenHint last_hint;
};

using State = std::map<std::string, LabState>;  // by the lab's full name

// The check whose hints help most: of those that failed the one that explains the others, else the first; when none
// failed, the first with points left to earn; otherwise none.
std::optional<NotedCheck> check_to_hint_on(const LabState& standing);

// Nothing is remembered where the file is missing or unreadable: it is only a convenience.
State load_state(const Project& project);

// Throws CannotProceed when the file cannot be written.
void save_state(const Project& project, const State& state);

}  // namespace course
