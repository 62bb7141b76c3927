// `course reset`: the starter again, the student's file kept beside it.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>

#include "course/commands.hpp"
#include "course/failure.hpp"
#include "course/starter.hpp"
#include "course/state.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

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

// What was found in a file that is no longer there says nothing about the starter.
void forget_results(const Project& project, std::string_view lab) {
    State state = load_state(project);
    LabState& standing = state[std::string(lab)];
    standing = {};
    standing.reset = true;
    save_state(project, state);
}

void write_starter(const std::filesystem::path& file, const std::string& starter) {
    std::ofstream out(file, std::ios::binary);
    if (!(out << starter).flush()) {
        throw CannotProceed(text("course.cannot_write", {{"path", file.string()}, {"reason", std::strerror(errno)}}));
    }
}

}  // namespace

int execute(const Project& project, const ResetOptions& options) {
    const std::string_view lab = require_lab(options.lab);
    const std::filesystem::path file = project.starter(lab);
    const std::string starter = recorded_starter(project, lab);
    if (std::filesystem::exists(file)) {
        if (content_of(file) == starter) {
            forget_results(project, lab);
            std::cout << text("course.reset.unchanged", {{"path", file.string()}}) << '\n';
            return 0;
        }
        keep_backup(file);
    }
    write_starter(file, starter);
    forget_results(project, lab);
    std::cout << text("course.reset.done", {{"path", file.string()}}) << '\n';
    return 0;
}

}  // namespace course
