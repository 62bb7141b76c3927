// The checks of the course's pages are a Python package (src/pages), since the well-kept Markdown tools are.
#pragma once

#include <string>
#include <vector>

#include "course/process.hpp"
#include "course/project.hpp"

namespace course {

// Calls the package, or the module of it that is named, with these arguments.
Command page_checks(const Project& project, const std::vector<std::string>& arguments,
                    const std::string& module = "pages");

}  // namespace course
