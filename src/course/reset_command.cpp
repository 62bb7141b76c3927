// `course reset`: the starter again, the student's file kept beside it.
//
// The starter is taken from git by the id of its content, which the root meson.build records: HEAD would be wrong as soon
// as students commit their work.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include "course/chapters.hpp"
#include "course/commands.hpp"
#include "course/failure.hpp"
#include "course/process.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

std::string starter_blob(std::string_view lab) {
    for (std::size_t i = 0; i < chapters.size(); ++i) {
        if (chapters[i] == lab) {
            return std::string(starter_blobs[i]);
        }
    }
    throw CannotProceed(text("course.unknown_lab", {{"lab", std::string(lab)}, {"labs", ""}}));
}

std::string pristine_starter(const Project& project, std::string_view lab) {
    if (!std::filesystem::exists(project.root / ".git")) {
        throw CannotProceed(text("course.reset.not_git", {{"path", project.root.string()}}));
    }
    const ProcessResult git =
        run_captured({{"git", "-C", project.root.string(), "cat-file", "blob", starter_blob(lab)}, {}, {}});
    if (git.exit_status != 0) {
        const std::string reason = git.output.substr(0, git.output.find('\n'));
        throw CannotProceed(text("course.reset.git_failed", {{"lab", std::string(lab)}, {"reason", reason}}));
    }
    return git.output;
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

// lab.cu.backup-20261130-142501, with a number after it when two fall into one second.
std::filesystem::path free_backup_name(const std::filesystem::path& file) {
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const std::string base = file.string() + fmt::format(".backup-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
    std::filesystem::path candidate = base;
    for (int number = 2; std::filesystem::exists(candidate); ++number) {
        candidate = base + "-" + std::to_string(number);
    }
    return candidate;
}

void keep_backup(const std::filesystem::path& file) {
    const std::filesystem::path backup = free_backup_name(file);
    std::error_code error;
    std::filesystem::rename(file, backup, error);
    if (error) {
        throw CannotProceed(text("course.cannot_write", {{"path", backup.string()}, {"reason", error.message()}}));
    }
    std::cout << text("course.reset.kept", {{"path", backup.string()}}) << '\n';
}

}  // namespace

int execute(const Project& project, const ResetOptions& options) {
    const std::string_view lab = require_lab(options.lab);
    const std::filesystem::path file = project.starter(lab);
    const std::string starter = pristine_starter(project, lab);
    if (std::filesystem::exists(file)) {
        if (content_of(file) == starter) {
            std::cout << text("course.reset.unchanged", {{"path", file.string()}}) << '\n';
            return 0;
        }
        keep_backup(file);
    }
    std::ofstream out(file, std::ios::binary);
    if (!(out << starter).flush()) {
        throw CannotProceed(text("course.cannot_write", {{"path", file.string()}, {"reason", ""}}));
    }
    std::cout << text("course.reset.done", {{"path", file.string()}}) << '\n';
    return 0;
}

}  // namespace course
