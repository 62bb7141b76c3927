#include "checks/lab_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "checks/causes.hpp"
#include "checks/failure.hpp"
#include "device/environment.hpp"
#include "protocol/channel.hpp"

extern char** environ;

namespace checks {
namespace {

using namespace std::chrono_literals;
using protocol::Descriptor;

constexpr int child_control = 3;
constexpr int child_memory = 4;
constexpr std::size_t output_kept = 4096;
// For a timed answer; then there is nothing to be gained by an exact time any more.
constexpr std::chrono::milliseconds spinning_limit{200};

[[noreturn]] void system_failure(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// A copy that cannot be one of the child's own numbers, and that no other child inherits.
Descriptor out_of_the_way(int number) {
    Descriptor copy(::fcntl(number, F_DUPFD_CLOEXEC, 64));
    if (!copy.valid()) {
        system_failure("duplicating a file descriptor");
    }
    return copy;
}

std::array<Descriptor, 2> socket_pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        system_failure("socket to the lab program");
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::array<Descriptor, 2> output_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        system_failure("pipe for the lab program's output");
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::uint64_t random_nonce() {
    std::uint64_t nonce = 0;
    while (::getrandom(&nonce, sizeof nonce, 0) != static_cast<ssize_t>(sizeof nonce)) {
    }
    return nonce;
}

// The environment of the child: ours, with `changes` on top. An empty value takes the variable away.
std::vector<std::string> environment_with(std::map<std::string, std::string> changes) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text(*entry);
        if (!changes.contains(text.substr(0, text.find('=')))) {
            result.push_back(text);
        }
    }
    for (const auto& [name, value] : changes) {
        if (!value.empty()) {
            result.push_back(name + "=" + value);
        }
    }
    return result;
}

std::string seconds(std::chrono::milliseconds limit) {
    std::string text = std::to_string(static_cast<double>(limit.count()) / 1000.0);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) {
        text.pop_back();
    }
    return text;
}

// posix_spawn's two objects, which must be destroyed.
struct SpawnSettings {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    SpawnSettings() {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        // Its own group, so that whatever it starts is killed with it.
        ::posix_spawnattr_setpgroup(&attributes, 0);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSettings() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
};

std::string signal_name(int number) {
    const char* abbreviation = ::sigabbrev_np(number);
    return abbreviation == nullptr ? std::to_string(number) : std::string("SIG") + abbreviation;
}

const char* refusal_name(protocol::Refusal refusal) {
    switch (refusal) {
        case protocol::Refusal::out_of_order:
            return "out_of_order";
        case protocol::Refusal::out_of_bounds:
            return "out_of_bounds";
        case protocol::Refusal::not_supported:
            return "not_supported";
        case protocol::Refusal::outside_data:
            return "outside_data";
        case protocol::Refusal::device_error:
            return "device_error";
        default:
            return "none";
    }
}

}  // namespace

const char* during(protocol::Action action) {
    switch (action) {
        case protocol::Action::hello:
            return "start";
        case protocol::Action::prepare:
            return "allocate";
        case protocol::Action::refill:
            return "refill";
        case protocol::Action::run:
            return "run";
        case protocol::Action::collect:
            return "collect";
        case protocol::Action::release:
            return "release";
        case protocol::Action::measure_stages:
            return "measure_stages";
        case protocol::Action::fail_call:
            return "fail_call";
        case protocol::Action::measure:
            return "measure";
        case protocol::Action::quit:
            return "exit";
    }
    return "";
}

LabProcess::LabProcess(const Launch& launch, const protocol::SharedMemory& memory) : limits_(launch.limits) {
    start(launch, memory);
    protocol::Request hello;
    hello.action = protocol::Action::hello;
    simulated_ = ask(hello).simulated != 0;
}

LabProcess::~LabProcess() {
    kill_group();
}

void LabProcess::start(const Launch& launch, const protocol::SharedMemory& memory) {
    auto [ours, theirs] = socket_pair();
    auto [read_end, write_end] = output_pipe();
    const Descriptor control = out_of_the_way(theirs.get());
    const Descriptor shared = out_of_the_way(memory.descriptor());
    const Descriptor printed = out_of_the_way(write_end.get());

    SpawnSettings settings;
    ::posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&settings.actions, printed.get(), 1);
    ::posix_spawn_file_actions_adddup2(&settings.actions, printed.get(), 2);
    ::posix_spawn_file_actions_adddup2(&settings.actions, control.get(), child_control);
    ::posix_spawn_file_actions_adddup2(&settings.actions, shared.get(), child_memory);

    std::map<std::string, std::string> changes = launch.environment;
    changes[device::environment::control_fd] = std::to_string(child_control);
    changes[device::environment::memory_fd] = std::to_string(child_memory);
    std::vector<std::string> environment = environment_with(std::move(changes));
    std::vector<char*> pointers;
    for (std::string& entry : environment) {
        pointers.push_back(entry.data());
    }
    pointers.push_back(nullptr);
    std::string program = launch.program.string();
    char* arguments[] = {program.data(), nullptr};
    const int error =
        ::posix_spawn(&process_, program.c_str(), &settings.actions, &settings.attributes, arguments, pointers.data());
    if (error != 0) {
        process_ = -1;
        throw CheckFailed(cause::cannot_start, {{"program", program}, {"reason", std::strerror(error)}});
    }
    socket_ = std::move(ours);
    output_pipe_ = std::move(read_end);
}

protocol::Reply LabProcess::ask(protocol::Request request) {
    const std::string action = during(request.action);
    // A reply that is there before its request was written without knowing what is asked.
    if (protocol::message_waiting(socket_.get())) {
        fail(cause::forged_reply, {{"during", action}});
    }
    request.nonce = random_nonce();
    const Clock::time_point begin = Clock::now();
    if (!protocol::send(socket_.get(), request)) {
        report_end(action);
    }
    if (request.action == protocol::Action::run && !simulated_) {
        protocol::spin_for_message(socket_.get(), std::min(limits_.request, spinning_limit));
    }
    await_message(begin + limits_.request, limits_.request, action);
    protocol::Reply reply;
    const protocol::Received received = protocol::receive(socket_.get(), reply);
    latest_wall_time_ = Clock::now() - begin;
    if (received.bytes == 0) {
        report_end(action);
    }
    if (!received.whole || reply.version != protocol::version) {
        fail(cause::malformed_reply, {{"bytes", std::to_string(received.bytes)}, {"during", action}});
    }
    if (reply.nonce != request.nonce || reply.action != request.action) {
        fail(cause::forged_reply, {{"during", action}});
    }
    reply.error_name[sizeof reply.error_name - 1] = '\0';
    reply.measurement.device[sizeof reply.measurement.device - 1] = '\0';
    return reply;
}

protocol::Reply LabProcess::demand(const protocol::Request& request) {
    const protocol::Reply reply = ask(request);
    const std::string action = during(request.action);
    if (reply.status == protocol::Status::student_error) {
        if (reply.refused_device_bytes > 0) {
            throw CheckFailed(cause::over_memory_budget,
                              {{"wanted", std::to_string(reply.refused_device_bytes)},
                               {"budget", std::to_string(request.problem.device_bytes)},
                               {"during", action}});
        }
        throw CheckFailed(cause::returned_error, {{"error", reply.error_name}, {"during", action}});
    }
    if (reply.status == protocol::Status::refused) {
        switch (reply.refusal) {
            case protocol::Refusal::no_host_input:
                throw CheckFailed(cause::no_host_input, {});
            case protocol::Refusal::no_host_output:
                throw CheckFailed(cause::no_host_output, {});
            default:
                throw CheckFailed(
                    cause::refused,
                    {{"reason", refusal_name(reply.refusal)}, {"error", reply.error_name}, {"during", action}});
        }
    }
    return reply;
}

void LabProcess::quit() {
    protocol::Request request;
    request.action = protocol::Action::quit;
    ask(request);
    const std::optional<int> status = wait_until(Clock::now() + limits_.quit);
    if (!status) {
        fail(cause::never_returned, {{"seconds", seconds(limits_.quit)}, {"during", during(request.action)}});
    }
    if (WIFSIGNALED(*status)) {
        fail(cause::crashed, {{"signal", signal_name(WTERMSIG(*status))}, {"during", during(request.action)}});
    }
}

// Waits for a message or the end of the connection, taking what is printed meanwhile.
void LabProcess::await_message(Clock::time_point deadline, std::chrono::milliseconds limit, const std::string& action) {
    bool printing = output_pipe_.valid();
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left <= 0ms) {
            fail(cause::never_returned, {{"seconds", seconds(limit)}, {"during", action}});
        }
        // A negative descriptor is ignored by poll.
        pollfd waiting[] = {{socket_.get(), POLLIN, 0}, {printing ? output_pipe_.get() : -1, POLLIN, 0}};
        if (::poll(waiting, 2, static_cast<int>(left.count())) < 0 && errno != EINTR) {
            system_failure("waiting for the lab program");
        }
        if (waiting[1].revents != 0) {
            drain_output();
            printing = (waiting[1].revents & POLLIN) != 0;
        }
        if (waiting[0].revents != 0) {
            return;
        }
    }
}

void LabProcess::drain_output() {
    char buffer[4096];
    // Bounded, so that a program that prints for ever cannot keep us here.
    for (int i = 0; i < 16; ++i) {
        const ssize_t length = ::read(output_pipe_.get(), buffer, sizeof buffer);
        if (length <= 0) {
            return;
        }
        output_.append(buffer, static_cast<std::size_t>(length));
        if (output_.size() > output_kept) {
            output_.erase(0, output_.size() - output_kept);
        }
    }
}

std::optional<int> LabProcess::wait_until(Clock::time_point deadline) {
    std::chrono::milliseconds pause = 1ms;
    for (;;) {
        drain_output();
        int status = 0;
        if (::waitpid(process_, &status, WNOHANG) == process_) {
            ::kill(-process_, SIGKILL);  // what it may have left behind
            process_ = -1;
            drain_output();
            return status;
        }
        if (Clock::now() >= deadline) {
            return std::nullopt;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::milliseconds>(pause * 2, 20ms);
    }
}

// The connection ended without a reply: how did the process end?
void LabProcess::report_end(const std::string& action) {
    const std::optional<int> status = wait_until(Clock::now() + 2s);
    if (!status) {
        fail(cause::malformed_reply, {{"bytes", "0"}, {"during", action}});
    }
    if (WIFSIGNALED(*status)) {
        fail(cause::crashed, {{"signal", signal_name(WTERMSIG(*status))}, {"during", action}});
    }
    fail(cause::exited_early, {{"code", std::to_string(WEXITSTATUS(*status))}, {"during", action}});
}

void LabProcess::fail(const char* cause, std::map<std::string, std::string> arguments) {
    kill_group();
    arguments["output"] = output_;
    throw CheckFailed(cause, std::move(arguments));
}

void LabProcess::kill_group() {
    if (process_ > 0) {
        ::kill(-process_, SIGKILL);
        int status = 0;
        while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = -1;
        drain_output();
    }
}

}  // namespace checks
