// What is remembered between calls: the last result of each lab, and how many hints were given.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "course/project.hpp"

namespace course {

struct LabState {
    bool checked = false;
    bool passed = false;
    double points = 0;
    double possible_points = 0;
    bool simulated = true;
    std::vector<std::string> failed_checks;   // ids, in the order of the checks
    std::map<std::string, int> hints_given;  // by check id
};

using State = std::map<std::string, LabState>;  // by the lab's full name

// Nothing is remembered where the file is missing or unreadable: it is only a convenience.
State load_state(const Project& project);

// Throws CannotProceed when the file cannot be written.
void save_state(const Project& project, const State& state);

}  // namespace course
