#include "course/devices.hpp"

#include "compiler/commands.hpp"
#include "course/failure.hpp"
#include "course/gpu_probe.hpp"
#include "course/texts.hpp"
#include "device/profile.hpp"

namespace course {
namespace {

constexpr const char* default_profile = "h200-pcie5";
// A fast link and a slow one, two copy engines and one.
constexpr const char* judged_profiles[] = {"h200-pcie5", "a100-pcie4", "one-copy-engine"};

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) {
        all += (all.empty() ? "" : ", ") + name;
    }
    return all;
}

// A name among the course's profiles, or a file.
std::filesystem::path profile_file(const Project& project, const std::string& given) {
    const std::filesystem::path named = project.profiles() / (given + ".json");
    if (std::filesystem::is_regular_file(named)) {
        return named;
    }
    if (std::filesystem::is_regular_file(given)) {
        return std::filesystem::absolute(given);
    }
    const std::string names = joined(device::profile_names(project.profiles()));
    throw CannotProceed(text("course.unknown_profile", {{"profile", given}, {"profiles", names}}));
}

ChosenDevice simulated(const Project& project, const std::string& given) {
    const std::filesystem::path file = profile_file(project, given.empty() ? default_profile : given);
    return {Target::simulated, file, device::load_profile(file).name};
}

void require_gpu(const std::string& profile) {
    if (!profile.empty()) {
        throw CannotProceed(text("course.profile_with_gpu"));
    }
    if (!find_gpu()) {
        throw CannotProceed(text("course.no_gpu"));
    }
    if (compiler::find_nvcc().empty()) {
        throw CannotProceed(text("course.no_nvcc"));
    }
}

}  // namespace

ChosenDevice choose_device(const Project& project, const DeviceOptions& options) {
    if (options.device == DeviceChoice::gpu) {
        require_gpu(options.profile);
        return {Target::gpu, {}, {}};
    }
    // A profile is a simulated device's: who names one wants that.
    const bool may_take_gpu = options.device == DeviceChoice::automatic && options.profile.empty();
    if (may_take_gpu && !compiler::find_nvcc().empty() && find_gpu()) {
        return {Target::gpu, {}, {}};
    }
    return simulated(project, options.profile);
}

std::vector<std::filesystem::path> other_judged_profiles(const Project& project, const ChosenDevice& chosen) {
    std::vector<std::filesystem::path> others;
    for (const char* const name : judged_profiles) {
        if (name != chosen.profile_name) {
            others.push_back(profile_file(project, name));
        }
    }
    return others;
}

}  // namespace course
