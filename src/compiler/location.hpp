// Where this repository and its build are: both may have moved since they were configured.
#pragma once

#include <filesystem>

namespace compiler {

struct Location {
    std::filesystem::path source_root;
    std::filesystem::path build_root;
};

// Empty arguments are looked up: the build from where this program lies, the sources from COURSE_ROOT and from the
// build; then the paths known when this was configured.
Location locate(std::filesystem::path source_root, std::filesystem::path build_root);

}  // namespace compiler
