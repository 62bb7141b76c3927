// NVTX: ranges and marks of the program, in the trace.
#include <cstdlib>
#include <string>

#include "device/environment.hpp"
#include "nvtx3/nvToolsExt.h"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/simulated_device.hpp"

using simulator::SimulatedDevice;

namespace {

// The device, locked. These are no calls of CUDA: a host function may make them, and they take no time.
class RangeCall {
public:
    SimulatedDevice* operator->() { return &device_; }

private:
    SimulatedDevice& device_ = SimulatedDevice::instance();
    std::lock_guard<std::recursive_mutex> lock_{device_.mutex()};
    simulator::RecordingPaused paused_;
};

// Under a check the ranges of trusted code mean something: a program's own must not be taken for one of them.
std::string text_of(const char* message) {
    const std::string text = message != nullptr ? message : "";
    return std::getenv(device::environment::quiet) != nullptr ? "NVTX: " + text : text;
}

}  // namespace

extern "C" {

int nvtxRangePushA(const char* message) {
    return RangeCall()->push_range(text_of(message).c_str());
}

int nvtxRangePop(void) {
    return RangeCall()->pop_range();
}

nvtxRangeId_t nvtxRangeStartA(const char* message) {
    return RangeCall()->start_range(text_of(message).c_str());
}

void nvtxRangeEnd(nvtxRangeId_t range) {
    RangeCall()->stop_range(range);
}

void nvtxMarkA(const char* message) {
    RangeCall()->stop_range(RangeCall()->start_range(text_of(message).c_str()));
}

}  // extern "C"
