#include "course/page_checks.hpp"

#include <filesystem>

namespace course {

Command page_checks(const Project& project, const std::vector<std::string>& arguments, const std::string& module) {
    // The distribution's packages are for the distribution's Python, which need not be the first in PATH.
    const char* const own = "/usr/bin/python3";
    Command command{{std::filesystem::exists(own) ? own : "python3", "-B", "-m", module},
                    {{"PYTHONPATH", (project.root / "src").string()}},
                    {}};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    return command;
}

}  // namespace course
