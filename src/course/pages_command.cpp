// `course pages`: the checks of the pages, and what is written into them from files. `course slides`: the decks.
#include "course/commands.hpp"
#include "course/page_checks.hpp"

namespace course {

int execute(const Project& project, const PagesOptions& options) {
    std::vector<std::string> arguments = options.checks;
    if (options.write) {
        arguments.emplace_back("--write");
    }
    if (options.draw) {
        arguments.emplace_back("--draw");
    }
    return run_passing_through(page_checks(project, arguments)).exit_status;
}

int execute(const Project& project, const SlidesOptions& options) {
    const std::vector<std::string> arguments = options.html ? std::vector<std::string>{"--html"} : std::vector<std::string>{};
    return run_passing_through(page_checks(project, arguments, "pages.build_slides")).exit_status;
}

}  // namespace course
