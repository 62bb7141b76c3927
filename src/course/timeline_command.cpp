// `course timeline`: draws what a lab or any CUDA file did, or a recorded trace, on the terminal and in files.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "course/commands.hpp"
#include "course/console.hpp"
#include "course/failure.hpp"
#include "course/texts.hpp"
#include "course/traced_run.hpp"
#include "timeline/svg.hpp"
#include "timeline/terminal.hpp"

namespace course {
namespace {

// The timed part of a lab; everything of another program.
std::string range_of(const device::Trace& trace, const Subject& subject) {
    return subject.lab && timeline::has_range(trace, "run") ? "run" : "";
}

void write_file(const std::filesystem::path& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    if (!(file << content).flush()) {
        throw CannotProceed(text("course.cannot_write", {{"path", path.string()}, {"reason", std::strerror(errno)}}));
    }
    std::cout << text("course.written", {{"path", path.string()}}) << '\n';
}

void draw(const device::Trace& trace, const std::string& range) {
    const Console console = standard_output();
    timeline::TerminalOptions options;
    options.width = console.width;
    options.color = console.colour;
    options.range = range;
    std::cout << timeline::render_terminal(trace, options);
}

void write_files(const device::Trace& trace, const std::string& range, const TimelineOptions& options) {
    if (options.svg) {
        timeline::SvgOptions drawing;
        drawing.range = range;
        write_file(*options.svg, timeline::render_svg(trace, drawing));
    }
    if (options.trace) {
        device::write_trace(*options.trace, trace);
        std::cout << text("course.written", {{"path", options.trace->string()}}) << '\n';
    }
}

bool names_trace(const TimelineOptions& options) { return std::filesystem::path(options.target).extension() == ".json"; }

device::Trace recorded_trace(const TimelineOptions& options) {
    if (options.solution || !options.on.profile.empty() || options.on.device != DeviceChoice::automatic) {
        throw CannotProceed(text("course.timeline.recorded", {{"path", options.target}}));
    }
    return device::read_trace(options.target);
}

int draw_recorded(const TimelineOptions& options) {
    const device::Trace trace = recorded_trace(options);
    const std::string range = timeline::has_range(trace, "run") ? "run" : "";
    draw(trace, range);
    write_files(trace, range, options);
    return 0;
}

}  // namespace

int execute(const Project& project, const TimelineOptions& options) {
    if (names_trace(options)) {
        return draw_recorded(options);
    }
    const Subject subject = find_subject(project, options.target, options.solution);
    const ChosenDevice device = choose_device(project, options.on);
    const TracedRun run = run_traced(project, device, {.subject = subject, .output = ProgramOutput::kept});
    if (run.process.exit_status != 0) {
        std::cerr << run.process.output << "course: " << ending_text(run) << '\n';
    }
    if (!run.trace) {
        throw CannotProceed(text("course.run.no_trace"));
    }
    const std::string range = range_of(*run.trace, subject);
    draw(*run.trace, range);
    write_files(*run.trace, range, options);
    return run.process.exit_status == 0 ? 0 : 1;
}

}  // namespace course
