#include "course/project.hpp"

#include <algorithm>
#include <cstdlib>

#include "course/chapters.hpp"
#include "course/failure.hpp"
#include "course/texts.hpp"
#include "device/environment.hpp"

namespace course {

std::filesystem::path Project::starter(std::string_view lab) const { return root / "labs" / lab / "lab.cu"; }
std::filesystem::path Project::solution(std::string_view lab) const { return root / "solutions" / lab / "lab.cu"; }
std::filesystem::path Project::baseline(std::string_view lab) const { return root / "tests" / lab / "baseline.cu"; }
std::filesystem::path Project::hints(std::string_view lab) const { return root / "labs" / lab; }
std::filesystem::path Project::profiles() const { return root / "src" / "device" / "profiles"; }
std::filesystem::path Project::programs() const { return build / "programs"; }
std::filesystem::path Project::state_file() const { return build / "state.json"; }

std::filesystem::path Project::check_program(std::string_view lab) const {
    return build / "tests" / lab / ("checks_" + std::string(lab));
}

Project find_project() {
    const char* given = std::getenv(device::environment::root);
    const std::filesystem::path root = given != nullptr && *given != '\0' ? given : std::string(built_from);
    if (!std::filesystem::exists(root / "meson.build") || !std::filesystem::is_directory(root / "labs")) {
        throw CannotProceed(text("course.not_a_checkout", {{"path", root.string()}}));
    }
    // A build folder that was carried to another machine lies under the root there, not where it was built.
    const std::filesystem::path build = root == built_from ? std::filesystem::path(built_in) : root / "build";
    return {root, build};
}

std::span<const std::string_view> lab_names() { return chapters; }

std::string_view find_lab(std::string_view given) {
    std::string wanted(given);
    std::replace(wanted.begin(), wanted.end(), '-', '_');  // as experiments are named
    for (const std::string_view name : chapters) {
        const std::string_view number = name.substr(0, name.find('_'));
        const std::string_view title = name.substr(name.find('_') + 1);
        const std::string_view short_number = number.substr(std::min(number.find_first_not_of('0'), number.size()));
        if (wanted == name || wanted == number || wanted == title || wanted == short_number) {
            return name;
        }
    }
    return {};
}

std::string_view require_lab(std::string_view wanted) {
    const std::string_view found = find_lab(wanted);
    if (found.empty()) {
        std::string names;
        for (const std::string_view name : chapters) {
            names += (names.empty() ? "" : ", ") + std::string(name);
        }
        throw CannotProceed(text("course.unknown_lab", {{"lab", std::string(wanted)}, {"labs", names}}));
    }
    return found;
}

}  // namespace course
