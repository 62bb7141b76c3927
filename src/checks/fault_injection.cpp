#include "checks/fault_injection.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checks/causes.hpp"
#include "checks/failure.hpp"
#include "checks/trace_judgements.hpp"

namespace checks {
namespace {

using protocol::Action;
using protocol::Reply;
using protocol::Status;

// A program writes its trace when it ends, and the trace has every call: so many are written in well under a second.
constexpr std::uint64_t calls_per_process = 100'000;

constexpr std::uint64_t first_calls = 256;  // allocate(), with a run or two if it measures
constexpr std::uint64_t last_calls = 256;   // run() and release()
constexpr std::uint64_t calls_between = 64;

// One child that is asked for cycles, each with another failing call.
class Cycles {
public:
    Cycles(Session& session, const std::filesystem::path& program, const Problem& problem, const std::string& name)
        : session_(session),
          problem_(problem),
          trace_file_(session.temporary_file(name)),
          process_(session.start(program, trace_file_)) {}

    // Arms the n-th call (0: none); returns how many calls were made since the latest arming.
    std::uint64_t arm(std::uint64_t n) {
        protocol::Request request;
        request.action = Action::fail_call;
        request.fail_call = n;
        return process_->demand(request).calls;
    }

    // allocate, run, measure_stages where the program has it, release; stops at the first error but always releases.
    // Whether an error was returned; error() is the first.
    bool cycle_reports_error() {
        session_.fresh_inputs(problem_);
        error_.clear();
        bool usable = true;
        for (const Action action : {Action::prepare, Action::run, Action::measure_stages}) {
            if (!usable) {
                break;
            }
            const Reply reply = process_->ask(session_.request(action, problem_));
            note_error(reply, action);
            // Refused: a buffer is missing although allocate() reported success, or there is no measure_stages().
            usable = reply.status == Status::ok;
        }
        note_error(process_->ask(session_.request(Action::release, problem_)), Action::release);
        return !error_.empty();
    }

    // {error, during} of the latest cycle; empty when it reported none.
    const Arguments& error() const { return error_; }

    // Ends the program; no cycle can follow.
    std::vector<device::Finding> findings() {
        process_->quit();
        return device::read_trace(trace_file_).findings;
    }

private:
    void note_error(const Reply& reply, Action action) {
        if (reply.status == Status::student_error && error_.empty()) {
            error_ = {{"error", reply.error_name}, {"during", during(action)}};
        }
    }

    Session& session_;
    Problem problem_;
    std::filesystem::path trace_file_;
    std::unique_ptr<LabProcess> process_;
    Arguments error_;
};

// Says which call it was that was made to fail last, and returns its line.
device::SourceLine name_failed_call(Failure& failure, const std::vector<device::Finding>& findings) {
    const auto injected = std::find_if(findings.rbegin(), findings.rend(), [](const device::Finding& finding) {
        return finding.kind == "injected_failure";
    });
    if (injected == findings.rend()) {
        throw std::logic_error("expected a finding injected_failure in the trace, found none");
    }
    failure.arguments["call"] = injected->details.at("call");
    return injected->at;
}

// What a failure during a cycle means when the n-th call was made to fail.
Failure after_error(const Failure& failure, std::uint64_t n) {
    Failure result = failure;
    result.arguments["n"] = std::to_string(n);
    if (failure.cause == cause::crashed || failure.cause == cause::exited_early) {
        result.cause = cause::crashed_after_error;
        result.arguments.try_emplace("signal", "exit " + result.arguments["code"]);
    } else if (failure.cause == cause::never_returned) {
        result.cause = cause::never_returned_after_error;
    }
    return result;
}

std::uint64_t count_calls(Session& session, const std::filesystem::path& program, const Problem& problem) {
    return session.watched([&] {
        Cycles cycles(session, program, problem, "calls.json");
        cycles.arm(0);
        if (cycles.cycle_reports_error()) {
            throw CheckFailed(cause::returned_error, cycles.error());
        }
        const std::uint64_t calls = cycles.arm(0);
        cycles.findings();
        return calls;
    });
}

// The first call whose failure leaks something, each in a process of its own.
std::optional<Failure> find_leak(Session& session, const std::filesystem::path& program, const Problem& problem,
                                 std::uint64_t calls) {
    for (const std::uint64_t n : calls_to_fail(calls)) {
        Cycles cycles(session, program, problem, "leak.json");
        cycles.arm(n);
        cycles.cycle_reports_error();
        cycles.arm(0);
        const std::vector<device::Finding> findings = cycles.findings();
        if (std::optional<Failure> leak = judge_leaks(findings)) {
            leak->cause = cause::leaked_after_error;
            name_failed_call(*leak, findings);
            leak->arguments["n"] = std::to_string(n);
            leak->arguments["calls"] = std::to_string(calls);
            return leak;
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> calls_to_fail(std::uint64_t calls) {
    std::vector<std::uint64_t> result;
    const auto append = [&result](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t n = first; n <= last; ++n) {
            result.push_back(n);
        }
    };
    if (calls <= first_calls + calls_between + last_calls) {
        append(1, calls);
        return result;
    }
    append(1, first_calls);
    const std::uint64_t between = calls - first_calls - last_calls;
    for (std::uint64_t i = 0; i < calls_between; ++i) {
        const std::uint64_t begin = between * i / calls_between, end = between * (i + 1) / calls_between;
        // Another place in each stretch: a loop of equal rounds would else meet with the same call every time.
        result.push_back(first_calls + 1 + begin + (i * 7919) % (end - begin));
    }
    append(calls - last_calls + 1, calls);
    return result;
}

std::optional<Failure> judge_error_handling(Session& session, const std::filesystem::path& program,
                                            const Problem& problem) {
    session.reserve(problem);
    const std::uint64_t calls = count_calls(session, program, problem);
    std::uint64_t n = 0;
    try {
        return session.watched([&]() -> std::optional<Failure> {
            bool leaked = false;
            const std::vector<std::uint64_t> failing = calls_to_fail(calls);
            for (auto next = failing.begin(); next != failing.end();) {
                Cycles cycles(session, program, problem, "errors.json");
                std::uint64_t made = 0;
                while (next != failing.end() && made < calls_per_process) {
                    n = *next++;
                    cycles.arm(n);
                    const bool reported = cycles.cycle_reports_error();
                    made += cycles.arm(0);
                    if (!reported) {
                        Failure ignored{
                            cause::error_ignored, {{"n", std::to_string(n)}, {"calls", std::to_string(calls)}}, {}, {}};
                        ignored.source = name_failed_call(ignored, cycles.findings());
                        return ignored;
                    }
                }
                leaked = judge_leaks(cycles.findings()) || leaked;
            }
            return leaked ? find_leak(session, program, problem, calls) : std::nullopt;
        });
    } catch (const CheckFailed& failed) {
        Failure failure = after_error(failed.failure(), n);
        failure.arguments["calls"] = std::to_string(calls);
        return failure;
    }
}

}  // namespace checks
