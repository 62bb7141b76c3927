#include "course/traced_run.hpp"

#include "course/temporary_directory.hpp"
#include "device/environment.hpp"

namespace course {

TracedRun run_traced(const Project& project, const Subject& subject, const ChosenDevice& device,
                     const std::vector<std::string>& arguments, ProgramOutput output) {
    const std::filesystem::path program = build_program(project, {subject.source, device.target});
    const TemporaryDirectory folder;
    const std::filesystem::path trace_file = folder.path() / "trace.json";
    Command command{{program.string()}, {{device::environment::trace_file, trace_file.string()}}, {}};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    if (device.target == Target::simulated) {
        command.environment[device::environment::profile_file] = device.profile.string();
    }
    TracedRun run;
    run.process = output == ProgramOutput::kept ? run_captured(command) : run_passing_through(command);
    if (std::filesystem::exists(trace_file)) {
        run.trace = device::read_trace(trace_file);
    }
    return run;
}

}  // namespace course
