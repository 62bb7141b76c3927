// `course run`: a lab, or any CUDA file, with its timeline.
#include <algorithm>
#include <iostream>

#include "course/commands.hpp"
#include "course/console.hpp"
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

}  // namespace

int execute(const Project& project, const RunOptions& options) {
    const Subject subject = find_subject(project, options.target, options.solution);
    const ChosenDevice device = choose_device(project, options.on);
    const TracedRun run = run_traced(project, subject, device, options.arguments, ProgramOutput::passed_through);
    if (run.trace) {
        show(*run.trace);
    } else {
        std::cerr << "course: " << text("course.run.no_trace") << '\n';
    }
    if (run.process.exit_status != 0) {
        std::cerr << "course: " << text("course.run.status", {{"status", std::to_string(run.process.exit_status)}})
                  << '\n';
        return run.process.exit_status;
    }
    return run.trace && has_errors(*run.trace) ? 1 : 0;
}

}  // namespace course
