// How near the simulated device is to a GPU.
#pragma once

#include "course/commands.hpp"
#include "course/project.hpp"

namespace course {

// Runs the fidelity experiment on the simulated device, and on the GPU or from its record; prints both, the ratio by
// group, and the figures over the cases that no constant was fitted to. Returns the exit status.
int compare_fidelity(const Project& project, const DeviceOptions& options);

}  // namespace course
