// On which device a command runs its program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/commands.hpp"

namespace course {

enum class Target { gpu, simulated };

struct ChosenDevice {
    Target target = Target::simulated;
    std::filesystem::path profile;  // the simulated device's; empty on a GPU
    std::string profile_name;
};

// "auto" is the GPU when there is one and nvcc to build for it, otherwise the simulated device.
// Throws CannotProceed when a GPU was asked for and cannot be used, or when the profile is missing or malformed.
ChosenDevice choose_device(const Project& project, const DeviceOptions& options);

// The profiles of the simulated devices on which a lab is judged beside `chosen`, so that nothing passes by luck.
std::vector<std::filesystem::path> other_judged_profiles(const Project& project, const ChosenDevice& chosen);

}  // namespace course
