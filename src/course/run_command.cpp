// `course run`: a lab, or any CUDA file, with its timeline.
#include <algorithm>
#include <iostream>

#include "course/commands.hpp"
#include "course/console.hpp"
#include "course/failure.hpp"
#include "course/texts.hpp"
#include "course/traced_run.hpp"
#include "timeline/terminal.hpp"

namespace course {
namespace {

std::string count(const device::Trace& trace, device::Severity severity) {
    return std::to_string(std::count_if(trace.findings.begin(), trace.findings.end(),
                                        [&](const device::Finding& finding) { return finding.severity == severity; }));
}

// The program itself has printed each finding on stderr; here is only how many there were.
std::string findings_line(const device::Trace& trace) {
    if (trace.findings.empty()) {
        return text("course.run.no_findings");
    }
    return text("course.run.findings", {{"errors", count(trace, device::Severity::error)},
                                        {"warnings", count(trace, device::Severity::warning)}});
}

void show(const device::Trace& trace) {
    const Console console = standard_output();
    timeline::TerminalOptions options;
    options.width = console.width;
    options.color = console.colour;
    std::cout << '\n' << timeline::render_terminal(trace, options);
    if (trace.simulated) {
        std::cout << '\n' << findings_line(trace) << '\n';
    }
}

bool has_errors(const device::Trace& trace) {
    return std::any_of(trace.findings.begin(), trace.findings.end(),
                       [](const device::Finding& finding) { return finding.severity == device::Severity::error; });
}

// What became of a program in which one call failed. Empty: it ended with a status of its own that is not 0.
std::string misconduct(int status) {
    if (status == 0) {
        return "course.run.failure_ignored";
    }
    if (status == timed_out) {
        return "course.run.failure_hung";
    }
    return status > 128 ? "course.run.failure_crashed" : "";
}

const device::Finding* injected_failure(const TracedRun& run) {
    if (!run.trace) {
        return nullptr;
    }
    const auto& findings = run.trace->findings;
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [](const device::Finding& finding) { return finding.kind == "injected_failure"; });
    return found == findings.end() ? nullptr : &*found;
}

void print_misconduct(const std::string& id, std::uint64_t n, const TracedRun& run) {
    const device::Finding* const failure = injected_failure(run);
    std::string call = text("course.run.unknown_call");  // after a crash there may be no trace
    if (failure != nullptr) {
        call = failure->details.at("call") + ", " + failure->at.file + ":" + std::to_string(failure->at.line);
    }
    std::cout << text(id, {{"n", std::to_string(n)},
                           {"call", call},
                           {"status", std::to_string(run.process.exit_status)}})
              << '\n';
}

// Runs the program once for each call that can fail, and lets that call fail.
int fail_each(const Project& project, const ChosenDevice& device, RunRequest request) {
    request.output = ProgramOutput::kept;
    request.time_limit_seconds = 10;
    std::uint64_t misconducts = 0;
    std::uint64_t n = 1;
    for (;; ++n) {
        if (standard_output().colour) {  // at a terminal: a program of many calls takes its time
            std::cout << '\r' << text("course.run.failing", {{"n", std::to_string(n)}}) << std::flush << "\r\033[K";
        }
        request.fail_call = n;
        const TracedRun run = run_traced(project, device, request);
        const bool no_such_call = run.trace && injected_failure(run) == nullptr;
        if (no_such_call) {
            break;
        }
        if (const std::string id = misconduct(run.process.exit_status); !id.empty()) {
            print_misconduct(id, n, run);
            ++misconducts;
        }
    }
    std::cout << text("course.run.failed_each",
                      {{"calls", std::to_string(n - 1)}, {"misconducts", std::to_string(misconducts)}})
              << '\n';
    return misconducts == 0 ? 0 : 1;
}

void require_possible(const RunOptions& options, const Subject& subject, const ChosenDevice& device) {
    if ((options.fail_each || options.fail_call) && device.target != Target::simulated) {
        throw CannotProceed(text("course.run.failures_are_simulated"));
    }
    if (subject.lab && !options.build.more_sources.empty()) {
        throw CannotProceed(text("course.run.lab_is_one_file"));
    }
    for (const std::filesystem::path& source : options.build.more_sources) {
        require_file(source);
    }
}

}  // namespace

int execute(const Project& project, const RunOptions& options) {
    const Subject subject = find_subject(project, options.target, options.solution);
    const ChosenDevice device = choose_device(project, options.on);
    require_possible(options, subject, device);
    RunRequest request{.subject = subject, .build = options.build, .arguments = options.arguments};
    if (options.fail_each) {
        return fail_each(project, device, request);
    }
    request.fail_call = options.fail_call.value_or(0);
    const TracedRun run = run_traced(project, device, request);
    if (run.trace) {
        show(*run.trace);
    } else {
        std::cerr << "course: " << text("course.run.no_trace") << '\n';
    }
    if (run.process.exit_status != 0) {
        std::cerr << "course: " << ending_text(run) << '\n';
        return run.process.exit_status;
    }
    return run.trace && has_errors(*run.trace) ? 1 : 0;
}

}  // namespace course
