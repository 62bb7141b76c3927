#include "course/traced_run.hpp"

#include <csignal>
#include <cstring>

#include "course/temporary_directory.hpp"
#include "course/texts.hpp"
#include "device/environment.hpp"

namespace course {

TracedRun run_traced(const Project& project, const ChosenDevice& device, const RunRequest& request) {
    const std::filesystem::path program =
        build_program(project, {request.subject.source, device.target, request.build});
    const TemporaryDirectory folder;
    const std::filesystem::path trace_file = folder.path() / "trace.json";
    Command command{{program.string()}, {{device::environment::trace_file, trace_file.string()}}, {}};
    if (request.time_limit_seconds != 0) {
        const std::string limit = std::to_string(request.time_limit_seconds);
        command.arguments.insert(command.arguments.begin(), {"timeout", "--kill-after=1", limit});
    }
    command.arguments.insert(command.arguments.end(), request.arguments.begin(), request.arguments.end());
    if (device.target == Target::simulated) {
        command.environment[device::environment::profile_file] = device.profile.string();
    }
    if (request.fail_call != 0) {
        command.environment[device::environment::fail_call] = std::to_string(request.fail_call);
    }
    TracedRun run;
    run.process = request.output == ProgramOutput::kept ? run_captured(command) : run_passing_through(command);
    if (std::filesystem::exists(trace_file)) {
        run.trace = device::read_trace(trace_file);
    }
    return run;
}

std::string ending_text(const TracedRun& run) {
    const int exit_status = run.process.exit_status;
    const char* const signal = exit_status > 128 ? sigabbrev_np(exit_status - 128) : nullptr;
    if (signal == nullptr) {
        return text("course.run.status", {{"status", std::to_string(exit_status)}});
    }
    const bool invalid_access = exit_status == 128 + SIGSEGV || exit_status == 128 + SIGBUS;
    const bool explained = run.trace && !run.trace->findings.empty();
    return text(invalid_access && !explained ? "course.run.invalid_access" : "course.run.signal",
                {{"signal", std::string("SIG") + signal}, {"status", std::to_string(exit_status)}});
}

}  // namespace course
