// Host functions of the simulated device: host code that runs in a stream.
#include "simulator/issue.hpp"
#include "simulator/ordering/instrumentation.hpp"

namespace simulator {

cudaError_t SimulatedDevice::launch_host_function(std::function<void()> function, Stream& stream, const char* call,
                                                  std::uintptr_t called_from) {
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr) {
        return capture_operation(stream, [this, function, call, called_from](Stream& in) {
            return launch_host_function(function, in, call, called_from);
        });
    }
    Issue issue;
    issue.operation.kind = device::OperationKind::host_function;
    issue.operation.name = call;
    issue.operation.asynchronous = true;
    issue.called_from = called_from;
    issue.task.resource = Resource::host_function;
    issue.start = [this, function = std::move(function)](std::uint64_t id, Epoch epoch, const VectorClock& past) {
        here().host_function = &past;
        const Time duration = run_host_function(function);
        here().host_function = nullptr;
        const std::vector<AccessInterval> accesses = host_function_recorder_.intervals();
        host_function_recorder_.clear();
        check_freed_by_host(accesses);
        checker_.operation_accesses(id, epoch, past, accesses);
        return KernelCost{.duration = duration};
    };
    issue.finish = [] {};
    this->issue(std::move(issue), stream);
    return cudaSuccess;
}

// How long it takes: the driver's thread wakes up, then comes the host work that the function declares.
Time SimulatedDevice::run_host_function(const std::function<void()>& function) {
    AccessRecorder* const previous = instrumentation.recorder;
    const Running previously = instrumentation.running;
    in_host_function_ = true;
    host_function_time_ = profile_.host.wake_up;
    const bool watches = watch_destinations(host_function_recorder_);
    set_recorder(&host_function_recorder_, Running::host_code);
    function();
    set_recorder(previous, previously);
    if (watches) {
        host_function_recorder_.watch({}, {});
    }
    in_host_function_ = false;
    return host_function_time_;
}

void SimulatedDevice::refuse_in_host_function(const char* call, std::uintptr_t called_from) {
    add_finding("call_in_host_function", device::Severity::error, called_from, {{"call", call}});
}

}  // namespace simulator
