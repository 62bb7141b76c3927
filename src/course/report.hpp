// The results of a check program, for people.
#pragma once

#include <string>

#include "checks/results.hpp"
#include "course/console.hpp"

namespace course {

struct ReportContext {
    Console console;
    std::string file;   // what was checked, as people name it
    std::string rerun;  // the command that checks it again with the same inputs
};

// Points as they are shown everywhere: "28.52".
std::string shown_points(double points);

// Whether the check passed with fewer than its full points.
bool has_points_left(const checks::CheckResult& check);

// What was checked and on which device; says so when that is simulated.
std::string render_header(const checks::Results& results, const ReportContext& context);

// One line for each check, and for one that was not passed what was expected and found, why, and what to try.
std::string render_checks(const checks::Results& results, const ReportContext& context);

// The speed line, when the speed was judged, and the sum of the points.
std::string render_total(const checks::Results& results, const ReportContext& context);

// 0 every check passed, 1 one failed, 2 none failed but one could not be judged.
int exit_status_of(const checks::Results& results);

}  // namespace course
