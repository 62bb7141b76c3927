// `course` alone: where you stand, and what is next.
#include <fmt/format.h>

#include <iostream>

#include "course/commands.hpp"
#include "course/console.hpp"
#include "course/report.hpp"
#include "course/state.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

std::string standing(const Console& console, const State& state, std::string_view lab) {
    const auto found = state.find(std::string(lab));
    if (found == state.end() || !found->second.checked) {
        const bool reset = found != state.end() && found->second.reset;
        return console.styled(Style::dim, text(reset ? "course.status.reset" : "course.status.not_checked"));
    }
    const LabState& last = found->second;
    const std::string points = text(last.simulated ? "course.status.points_simulated" : "course.status.points",
                                    {{"points", shown_points(last.points)},
                                     {"possible", shown_points(last.possible_points)}});
    return last.passed ? console.styled(Style::green, text("course.status.passed")) + "  " + points
                       : console.styled(Style::red, text("course.status.failed")) + "  " + points;
}

std::string next_step(const State& state) {
    for (const std::string_view lab : lab_names()) {
        const auto found = state.find(std::string(lab));
        const std::string short_name(lab.substr(lab.find('_') + 1));
        if (found == state.end() || !found->second.checked) {
            return text("course.status.next_start", {{"lab", std::string(lab)}, {"name", short_name}});
        }
        if (!found->second.passed) {
            return text("course.status.next_continue", {{"lab", std::string(lab)}, {"name", short_name}});
        }
    }
    return text("course.status.all_done");
}

}  // namespace

int execute(const Project& project, const StatusOptions&) {
    const Console console = standard_output();
    const State state = load_state(project);
    for (const std::string_view lab : lab_names()) {
        std::cout << fmt::format("{:<22}", lab) << standing(console, state, lab) << '\n';
    }
    std::cout << '\n' << next_step(state) << '\n';
    return 0;
}

}  // namespace course
