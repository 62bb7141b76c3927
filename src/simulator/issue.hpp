// Private to SimulatedDevice: one operation on its way into a stream.
#pragma once

#include "simulator/simulated_device.hpp"

namespace simulator {

struct SimulatedDevice::Issue {
    device::Operation operation;  // kind, name, bytes, memory, asynchronous; the rest is filled in
    std::uintptr_t called_from = 0;
    bool waited_for_in_practice = false;
    OperationRole role = OperationRole::on_device;
    TaskSpec task;
    // Called at the virtual start with what the ordering checker needs; returns the cost of a kernel.
    std::function<KernelCost(std::uint64_t id, Epoch epoch, const VectorClock& past)> start;
    std::function<void()> finish;
};

}  // namespace simulator
