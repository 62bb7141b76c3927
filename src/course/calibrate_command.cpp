// `course calibrate`: measures this machine's GPU (src/gpu/calibrate.cu, called with a profile's name and file) and keeps
// the figures as a profile of the simulated device.
#include <algorithm>
#include <iostream>

#include "course/commands.hpp"
#include "course/devices.hpp"
#include "course/failure.hpp"
#include "course/process.hpp"
#include "course/programs.hpp"
#include "course/texts.hpp"
#include "device/profile.hpp"

namespace course {
namespace {

bool is_plain_name(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
}

}  // namespace

int execute(const Project& project, const CalibrateOptions& options) {
    if (!is_plain_name(options.name)) {
        throw CannotProceed(text("course.calibrate.bad_name", {{"name", options.name}}));
    }
    const ChosenDevice device = choose_device(project, {DeviceChoice::gpu, ""});
    const std::filesystem::path source = project.root / "src" / "gpu" / "calibrate.cu";
    require_file(source);
    const std::filesystem::path program = build_program(project, {source, device.target});
    const std::filesystem::path file = project.profiles() / (options.name + ".json");
    const ProcessResult run = run_passing_through({{program.string(), options.name, file.string()}, {}, {}});
    if (run.exit_status != 0) {
        throw CannotProceed(text("course.run.status", {{"status", std::to_string(run.exit_status)}}));
    }
    device::load_profile(file);  // what cannot be read back must be noticed now
    std::cout << text("course.calibrate.done", {{"path", file.string()}, {"name", options.name}}) << '\n';
    return 0;
}

}  // namespace course
