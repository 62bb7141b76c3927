#include "course/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "course/failure.hpp"
#include "course/texts.hpp"

extern char** environ;

namespace course {
namespace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
    std::vector<std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (!added.contains(text.substr(0, text.find('=')))) {
            merged.push_back(text);
        }
    }
    for (const auto& [name, value] : added) {
        merged.push_back(name + "=" + value);
    }
    return merged;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

// The actions of posix_spawn, released with the object.
class FileActions {
public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    posix_spawn_file_actions_t* get() { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

pid_t start(const Command& command, FileActions& actions) {
    if (!command.directory.empty()) {
        posix_spawn_file_actions_addchdir_np(actions.get(), command.directory.c_str());
    }
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment = merged_environment(command.environment);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments.front().c_str(), actions.get(), nullptr,
                                   pointers_to(arguments).data(), pointers_to(environment).data());
    if (error != 0) {
        throw CannotProceed(
            text("course.cannot_start", {{"program", arguments.front()}, {"reason", std::strerror(error)}}));
    }
    return child;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string read_all(int descriptor) {
    std::string all;
    std::array<char, 4096> part{};
    for (;;) {
        const ssize_t count = read(descriptor, part.data(), part.size());
        if (count > 0) {
            all.append(part.data(), static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            return all;
        }
    }
}

}  // namespace

ProcessResult run_passing_through(const Command& command) {
    FileActions actions;
    return {wait_for(start(command, actions)), ""};
}

ProcessResult run_captured(const Command& command) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw CannotProceed(
            text("course.cannot_start", {{"program", command.arguments.front()}, {"reason", std::strerror(errno)}}));
    }
    FileActions actions;
    posix_spawn_file_actions_adddup2(actions.get(), ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), ends[1], STDERR_FILENO);
    pid_t child = 0;
    try {
        child = start(command, actions);
    } catch (...) {
        close(ends[0]);
        close(ends[1]);
        throw;
    }
    close(ends[1]);
    std::string output = read_all(ends[0]);
    close(ends[0]);
    return {wait_for(child), std::move(output)};
}

std::filesystem::path find_in_path(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path candidate = std::filesystem::path(folder) / name;
        if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) {
            return std::filesystem::absolute(candidate);
        }
    }
    return {};
}

}  // namespace course
