// The simulated device's side of device/hooks.h, and the calls of kernels into the simulator.
#include "device/hooks.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/environment.hpp"
#include "simulator/api_call.hpp"

using simulator::Access;
using simulator::SimulatedDevice;

namespace {

// A program that makes no call at all still leaves a trace.
[[maybe_unused]] const bool started = [] {
    if (std::getenv(device::environment::trace_file) != nullptr) {
        SimulatedDevice::instance();
    }
    return true;
}();

// The device, locked; what the simulator does with memory meanwhile is not the program's doing.
class HookCall {
public:
    SimulatedDevice* operator->() { return &device_; }

private:
    SimulatedDevice& device_ = SimulatedDevice::instance();
    std::lock_guard<std::recursive_mutex> lock_{device_.mutex()};
    simulator::RecordingPaused paused_;
};

}  // namespace

extern "C" {

uint64_t device_hooks_clock_ns(void) {
    return static_cast<uint64_t>(HookCall()->host_time().count());
}

void device_hooks_range_begin(const char* name) {
    HookCall()->begin_range(name);
}

void device_hooks_range_end(void) {
    HookCall()->end_range();
}

void device_hooks_host_reads(const void* address, size_t bytes, const char* what) {
    HookCall device;
    device->trusted_host_access(address, bytes, Access::read, what);
    device->judge_results(address, bytes);
}

void device_hooks_host_writes(void* address, size_t bytes, const char* what) {
    HookCall device;
    device->trusted_host_access(address, bytes, Access::write, what);
    device->take_for_inputs(address, bytes);
}

void device_hooks_trusted_copy(void* to, const void* from, size_t bytes) {
    const simulator::RecordingPaused paused;
    std::memcpy(to, from, bytes);
}

void device_hooks_host_work_ns(uint64_t nanoseconds) {
    HookCall()->spend(simulator::Time(nanoseconds));
}

uint64_t device_hooks_memory_budget(uint64_t bytes) {
    return HookCall()->set_memory_budget(bytes);
}

int device_hooks_simulated(void) {
    return 1;
}

uint64_t device_hooks_fail_call(uint64_t n) {
    return HookCall()->arm_failure(n);
}

// lab::work declares its rounds here instead of doing them one by one.
void simulator_charge_rounds(unsigned rounds) {
    SimulatedDevice::instance().charge_rounds(rounds);
}

void simulator_atomic_access(const volatile void* address, size_t bytes) {
    simulator::record_access(address, bytes, simulator::atomics_taken_back ? Access::write : Access::atomic,
                             reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}

void simulator_atomic_set(const volatile void* address, size_t bytes) {
    const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    if (simulator::atomics_taken_back) {
        simulator::record_access(address, bytes, simulator::Access::write, caller);
    } else {
        simulator::record_atomic_set(address, bytes, caller);
    }
}

// What assert() of the C library calls, in kernels too.
[[noreturn]] void __assert_fail(const char* condition, const char* file, unsigned line, const char* function) noexcept {
    if (simulator::instrumentation.running == simulator::Running::device_code) {
        const simulator::RecordingPaused paused;
        SimulatedDevice::instance().end_at_assertion(condition,
                                                     reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
    }
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, condition);
    std::abort();
}

}  // extern "C"
