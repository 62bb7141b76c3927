#include "course/starter.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "course/chapters.hpp"
#include "course/failure.hpp"
#include "course/process.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

bool is_git_checkout(const Project& project) {
    return std::filesystem::exists(project.root / ".git");
}

ProcessResult git(const Project& project, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", project.root.string()});
    return run_captured({std::move(arguments), {}, {}});
}

}  // namespace

std::string starter_id(std::string_view lab) {
    require_lab(lab);
    const auto position = std::find(chapters.begin(), chapters.end(), lab) - chapters.begin();
    return std::string(starter_blobs.at(static_cast<std::size_t>(position)));
}

bool starter_is_untouched(const Project& project, std::string_view lab) {
    return git(project, {"hash-object", project.starter(lab).string()}).output == starter_id(lab) + "\n";
}

std::string recorded_starter(const Project& project, std::string_view lab) {
    if (!is_git_checkout(project)) {
        throw CannotProceed(text("course.reset.not_git", {{"path", project.root.string()}}));
    }
    ProcessResult blob = git(project, {"cat-file", "blob", starter_id(lab)});
    if (blob.exit_status != 0) {
        const std::string reason = blob.output.substr(0, blob.output.find('\n'));
        throw CannotProceed(text("course.reset.git_failed", {{"lab", std::string(lab)}, {"reason", reason}}));
    }
    return std::move(blob.output);
}

std::string starter_for_tests(const Project& project, std::string_view lab) {
    const bool take_the_file = !is_git_checkout(project) || starter_is_untouched(project, lab);
    return take_the_file ? content_of(project.starter(lab)) : recorded_starter(project, lab);
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw CannotProceed(text("course.missing_file", {{"path", path.string()}}));
    }
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

}  // namespace course
