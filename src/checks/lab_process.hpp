// A lab program as a child process that is asked one thing at a time and never trusted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "protocol/descriptor.hpp"
#include "protocol/messages.hpp"
#include "protocol/shared_memory.hpp"

namespace checks {

struct Limits {
    std::chrono::milliseconds request{10'000};  // for one answer
    std::chrono::milliseconds quit{10'000};     // from quit to the end of the process
};

struct Launch {
    std::filesystem::path program;
    std::map<std::string, std::string> environment;  // on top of ours; an empty value takes a variable away
    Limits limits;
};

class LabProcess {
public:
    // Starts the program in its own process group and greets it. Throws CheckFailed(cannot_start), and as ask() does.
    LabProcess(const Launch& launch, const protocol::SharedMemory& memory);
    ~LabProcess();
    LabProcess(const LabProcess&) = delete;
    LabProcess& operator=(const LabProcess&) = delete;

    // Sends the request with a fresh nonce and waits for its reply. Whatever else happens is thrown as CheckFailed with
    // its cause: crashed, exited_early, never_returned, malformed_reply, forged_reply. A reply that says
    // student_error or refused is returned. After a throw the process is dead.
    protocol::Reply ask(protocol::Request request);

    // As ask(), but student_error and refused are thrown too: returned_error, no_host_input, no_host_output, refused.
    protocol::Reply demand(const protocol::Request& request);

    // Lets the program end in the ordinary way and waits, so that its trace is written. Throws CheckFailed.
    void quit();

    // The last kilobytes of what it printed.
    const std::string& output() const { return output_; }

    // Wall time of the latest ask().
    std::chrono::nanoseconds latest_wall_time() const { return latest_wall_time_; }

    bool simulated() const { return simulated_; }

private:
    using Clock = std::chrono::steady_clock;

    void start(const Launch& launch, const protocol::SharedMemory& memory);
    void await_message(Clock::time_point deadline, std::chrono::milliseconds limit, const std::string& during);
    void drain_output();
    [[noreturn]] void report_end(const std::string& during);
    [[noreturn]] void fail(const char* cause, std::map<std::string, std::string> arguments);
    std::optional<int> wait_until(Clock::time_point deadline);
    void kill_group();

    Limits limits_;
    pid_t process_ = -1;
    protocol::Descriptor socket_;
    protocol::Descriptor output_pipe_;
    std::string output_;
    std::chrono::nanoseconds latest_wall_time_{};
    bool simulated_ = false;
};

// What a request does, for {during}: "allocate", "run", "release", ...
const char* during(protocol::Action action);

}  // namespace checks
