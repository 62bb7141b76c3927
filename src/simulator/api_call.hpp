// What every function of the runtime API does around its own work.
#pragma once

#include <cstdint>
#include <mutex>

#include "simulator/ordering/instrumentation.hpp"
#include "simulator/simulated_device.hpp"

namespace simulator {

// The return address in the program of the API function in which this is used.
#define SIMULATOR_CALLED_FROM reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

// One call of the API by the host: takes the lock, lets host time pass, and notes the call in the trace. Made in a host
// function that runs in a stream, it is found, fails, and does nothing.
class ApiCall {
public:
    // A call that may wait for the device is refused while a stream is captured.
    enum class DuringCapture { allowed, refused };

    ApiCall(const char* name, std::uintptr_t called_from, Time cost, DuringCapture during = DuringCapture::allowed)
        : device_(SimulatedDevice::instance()), lock_(device_.mutex()), name_(name), called_from_(called_from) {
        if (in_host_function_) {
            device_.refuse_in_host_function(name, called_from);
            return;
        }
        device_.begin_call();
        start_ = device_.host_time();
        device_.spend(cost);
        if (during == DuringCapture::refused) {
            refusal_ = device_.refusal_during_capture();
        }
    }
    ~ApiCall() {
        if (!in_host_function_) {
            device_.end_call(name_, start_, called_from_);
        }
        device_.report_use_after_destruction(name_, called_from_);
    }
    ApiCall(const ApiCall&) = delete;
    ApiCall& operator=(const ApiCall&) = delete;

    SimulatedDevice& device() { return device_; }

    // Counts this call among those that can fail; true when fault injection lets it fail.
    bool fails() { return refused() || device_.next_call_fails(name_, called_from_); }

    // Where the call may do nothing at all, not even give something back.
    bool refused() const { return refusal_ != cudaSuccess; }

    cudaError_t result(cudaError_t error) { return device_.record_error(refused() ? refusal_ : error); }

private:
    SimulatedDevice& device_;
    std::lock_guard<std::recursive_mutex> lock_;
    RecordingPaused paused_;
    const char* name_;
    std::uintptr_t called_from_;
    bool in_host_function_ = device_.in_host_function();
    cudaError_t refusal_ = in_host_function_ ? cudaErrorNotPermitted : cudaSuccess;
    Time start_{};
};

inline const device::Profile& profile() {
    return SimulatedDevice::instance().profile();
}

}  // namespace simulator
