// `course check`: builds the student's file and the serial version, lets the lab's check program judge them, and renders
// what it found.
#include <fstream>
#include <iostream>

#include "checks/results.hpp"
#include "course/commands.hpp"
#include "course/devices.hpp"
#include "course/failure.hpp"
#include "course/process.hpp"
#include "course/programs.hpp"
#include "course/report.hpp"
#include "course/state.hpp"
#include "course/temporary_directory.hpp"
#include "course/texts.hpp"
#include "device/trace.hpp"
#include "timeline/terminal.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;

fs::path source_of(const Project& project, const CheckOptions& options, std::string_view lab) {
    if (options.file && options.solution) {
        throw CannotProceed(text("course.solution_and_file"));
    }
    const fs::path source = options.file ? *options.file : options.solution ? project.solution(lab) : project.starter(lab);
    require_file(source);
    return source;
}

// What the check program is to judge, and where it leaves its results.
Command check_command(const Project& project, const CheckOptions& options, std::string_view lab,
                      const ChosenDevice& device, const fs::path& folder) {
    const fs::path source = source_of(project, options, lab);
    const fs::path checks = project.check_program(lab);
    if (!fs::exists(checks)) {
        throw CannotProceed(text("course.not_built", {{"path", checks.string()}}));
    }
    const bool simulated = device.target == Target::simulated;
    const fs::path program = build_program(project, {source, device.target});
    const fs::path baseline = build_program(project, {project.baseline(lab), device.target});
    Command command{{checks.string(), "--program", program.string(), "--baseline", baseline.string(), "--device",
                     simulated ? "sim" : "gpu", "--results", (folder / "results.json").string(), "--trace",
                     (folder / "trace.json").string()},
                    {},
                    {}};
    const auto add = [&](const std::string& name, const std::string& value) {
        command.arguments.insert(command.arguments.end(), {name, value});
    };
    if (simulated) {
        add("--profile", device.profile.string());
    } else {
        // The order of accesses is judged on the simulated device, whatever the times are taken on.
        add("--ordering-program", build_program(project, {source, Target::simulated}).string());
        add("--ordering-baseline", build_program(project, {project.baseline(lab), Target::simulated}).string());
    }
    for (const fs::path& profile : other_judged_profiles(project, device)) {
        add("--other-profile", profile.string());
    }
    if (options.seed) {
        add("--seed", std::to_string(*options.seed));
    }
    return command;
}

// What a check program that left no results printed last: the reason, as a rule.
std::string last_line(const std::string& output) {
    const std::string text = output.substr(0, output.find_last_not_of('\n') + 1);
    return text.substr(text.rfind('\n') + 1);  // npos + 1 is 0: the only line
}

checks::Results judge(const Command& command, const fs::path& results) {
    const ProcessResult run = run_captured(command);
    if (!fs::exists(results)) {
        throw CannotProceed(text("course.checks_broke", {{"status", std::to_string(run.exit_status)},
                                                         {"output", last_line(run.output)}}));
    }
    return checks::read_results(results);
}

std::string rerun_command(const CheckOptions& options, std::string_view lab, std::uint64_t seed) {
    std::string command = "./course check " + std::string(lab.substr(lab.find('_') + 1));
    if (options.solution) {
        command += " --solution";
    }
    if (options.file) {
        command += " --file " + options.file->string();
    }
    if (options.on.device != DeviceChoice::automatic) {
        command += options.on.device == DeviceChoice::gpu ? " --device gpu" : " --device sim";
    }
    if (!options.on.profile.empty()) {
        command += " --profile " + options.on.profile;
    }
    return command + " --seed " + std::to_string(seed);
}

std::string shown_file(const Project& project, const fs::path& file) {
    const std::string near = file.lexically_proximate(project.root).string();
    return file.is_absolute() && !near.starts_with("..") ? near : file.string();
}

std::string timeline_of(const fs::path& trace_file, const Console& console) {
    if (!fs::exists(trace_file)) {
        return "";
    }
    const device::Trace trace = device::read_trace(trace_file);
    timeline::TerminalOptions options;
    options.width = console.width;
    options.color = console.colour;
    options.range = timeline::has_range(trace, "run") ? "run" : "";
    return timeline::render_terminal(trace, options) + "\n";
}

void remember(const Project& project, const std::string& lab, const checks::Results& results) {
    State state = load_state(project);
    LabState& standing = state[lab];
    standing.checked = true;
    standing.reset = false;
    standing.passed = exit_status_of(results) == 0;
    standing.points = results.points;
    standing.possible_points = results.max_points;
    standing.simulated = results.simulated;
    standing.failed_checks.clear();
    standing.partial_checks.clear();
    for (const checks::CheckResult& check : results.checks) {
        if (check.verdict == checks::Verdict::fail) {
            standing.failed_checks.push_back({check.id, check.cause});
        } else if (has_points_left(check)) {
            standing.partial_checks.push_back({check.id, ""});
        }
    }
    save_state(project, state);
}

void copy_results(const fs::path& results, const fs::path& wanted) {
    std::error_code error;
    fs::copy_file(results, wanted, fs::copy_options::overwrite_existing, error);
    if (error) {
        throw CannotProceed(text("course.cannot_write", {{"path", wanted.string()}, {"reason", error.message()}}));
    }
}

}  // namespace

int execute(const Project& project, const CheckOptions& options) {
    const std::string lab(require_lab(options.lab));
    const ChosenDevice device = choose_device(project, options.on);
    const TemporaryDirectory folder;
    const Command command = check_command(project, options, lab, device, folder.path());
    const checks::Results results = judge(command, folder.path() / "results.json");
    const ReportContext context{standard_output(), shown_file(project, source_of(project, options, lab)),
                                rerun_command(options, lab, results.seed)};
    std::cout << render_header(results, context) << '\n'
              << render_checks(results, context) << '\n'
              << timeline_of(folder.path() / "trace.json", context.console) << render_total(results, context);
    if (options.json) {
        copy_results(folder.path() / "results.json", *options.json);
    }
    if (!options.solution && !options.file) {
        remember(project, lab, results);
    }
    return exit_status_of(results);
}

}  // namespace course
