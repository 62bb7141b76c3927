#include "compiler/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

extern char** environ;

namespace compiler {
namespace {

void check(int error, const std::string& what) {
    if (error != 0) {
        throw std::system_error(error, std::generic_category(), what);
    }
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() { close(); }

    [[nodiscard]] int number() const { return number_; }
    void close() {
        if (number_ >= 0) {
            ::close(std::exchange(number_, -1));
        }
    }

private:
    int number_;
};

class SpawnActions {
public:
    SpawnActions() { check(posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init"); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

    void duplicate(int from, int to) { check(posix_spawn_file_actions_adddup2(&actions_, from, to), "dup2"); }
    void open_empty(int to) {
        check(posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", O_RDONLY, 0), "/dev/null");
    }
    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

pid_t spawn(const std::vector<std::string>& arguments, int output) {
    SpawnActions actions;
    actions.open_empty(STDIN_FILENO);
    actions.duplicate(output, STDOUT_FILENO);
    actions.duplicate(output, STDERR_FILENO);
    std::vector<char*> argument_pointers;
    for (const std::string& argument : arguments) {
        argument_pointers.push_back(const_cast<char*>(argument.c_str()));
    }
    argument_pointers.push_back(nullptr);
    pid_t child = 0;
    check(posix_spawnp(&child, argument_pointers[0], actions.get(), nullptr, argument_pointers.data(), environ),
          arguments.front());
    return child;
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 16384> buffer{};
    for (;;) {
        const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            return text;
        }
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        check(errno == EINTR ? 0 : errno, "waitpid");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    check(pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe");
    const Descriptor read_end(ends[0]);
    Descriptor write_end(ends[1]);
    const pid_t child = spawn(arguments, write_end.number());
    write_end.close();
    ChildResult result;
    result.output = read_all(read_end.number());
    result.exit_status = wait_for(child);
    return result;
}

}  // namespace compiler
