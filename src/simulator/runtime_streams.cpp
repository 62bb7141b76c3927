// The runtime API: streams and events.
#include "simulator/api_call.hpp"

using simulator::ApiCall;
using simulator::Event;
using simulator::profile;
using simulator::Stream;
using simulator::Time;

namespace {

cudaError_t create_stream(const char* name, cudaStream_t* stream, unsigned flags, std::uintptr_t called_from,
                          int priority = 0) {
    ApiCall call(name, called_from, profile().host.create_stream);
    if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    *stream = call.device().create_stream(flags, called_from, priority);
    return cudaSuccess;
}

cudaError_t create_event(const char* name, cudaEvent_t* event, unsigned flags, std::uintptr_t called_from) {
    ApiCall call(name, called_from, profile().host.create_event);
    if (event == nullptr || (flags & ~unsigned{cudaEventBlockingSync | cudaEventDisableTiming}) != 0) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    *event = call.device().create_event(flags, called_from);
    return cudaSuccess;
}

// The call with its handle resolved: runs `action(device, object)` unless the handle is invalid or the call is to fail.
template <class Object, class Action>
cudaError_t with(const char* name, Time cost, std::uintptr_t called_from, Object resolve, Action action) {
    ApiCall call(name, called_from, cost);
    auto* const object = resolve(call.device());
    if (object == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    return call.result(action(call.device(), *object));
}

auto stream_of(cudaStream_t handle) {
    return [handle](simulator::SimulatedDevice& device) { return device.stream(handle); };
}

auto event_of(cudaEvent_t handle) {
    return [handle](simulator::SimulatedDevice& device) { return device.event(handle); };
}

cudaError_t record_event(const char* name, cudaEvent_t event, cudaStream_t stream, unsigned flags,
                         std::uintptr_t called_from) {
    return with(name, Time{}, called_from, event_of(event),
                [=](auto& device, Event& found) -> cudaError_t {
                    const bool timed = (found.flags & cudaEventDisableTiming) == 0;
                    device.spend(timed ? profile().host.event_record : profile().host.untimed_event_record);
                    Stream* const in = device.stream(stream);
                    if (in == nullptr) {
                        return cudaErrorInvalidResourceHandle;
                    }
                    if (flags == cudaEventRecordExternal) {
                        return device.not_simulated("cudaEventRecordExternal", called_from);
                    }
                    return flags == cudaEventRecordDefault ? device.record(found, *in) : cudaErrorInvalidValue;
                });
}

}  // namespace

namespace simulator {

bool use_per_thread_default_stream() {
    SimulatedDevice::instance().use_per_thread_default_stream();
    return true;
}

}  // namespace simulator

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return create_stream("cudaStreamCreate", stream, cudaStreamDefault, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    return create_stream("cudaStreamCreateWithFlags", stream, flags, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
    return create_stream("cudaStreamCreateWithPriority", stream, flags, SIMULATOR_CALLED_FROM, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    ApiCall call("cudaStreamDestroy", SIMULATOR_CALLED_FROM, profile().host.create_stream);
    Stream* const found = call.device().stream(stream);
    if (found == nullptr || found->number == 0 || found->of_thread) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    const bool fails = call.fails();
    if (call.refused()) {
        return call.result(cudaErrorNotPermitted);
    }
    call.device().destroy_stream(*found);
    return call.result(fails ? cudaErrorLaunchFailure : cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return with("cudaStreamSynchronize", profile().host.query, SIMULATOR_CALLED_FROM, stream_of(stream),
                [](auto& device, Stream& found) {
                    if (const cudaError_t error = device.refusal_to_wait(found); error != cudaSuccess) {
                        return error;
                    }
                    device.synchronize(found);
                    return cudaSuccess;
                });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return with("cudaStreamQuery", profile().host.query, SIMULATOR_CALLED_FROM, stream_of(stream),
                [](auto& device, Stream& found) {
                    const cudaError_t error = device.refusal_to_wait(found);
                    return error != cudaSuccess ? error : device.query(found) ? cudaSuccess : cudaErrorNotReady;
                });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
    const std::uintptr_t called_from = SIMULATOR_CALLED_FROM;
    return with("cudaStreamWaitEvent", profile().host.stream_wait_event, called_from, stream_of(stream),
                [event, called_from](auto& device, Stream& found) {
                    Event* const waited_for = device.event(event);
                    if (waited_for == nullptr) {
                        return cudaErrorInvalidResourceHandle;
                    }
                    return device.wait(found, *waited_for, called_from);
                });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
    return with("cudaStreamGetFlags", profile().host.other, SIMULATOR_CALLED_FROM, stream_of(stream),
                [flags](auto&, const Stream& found) {
                    if (flags == nullptr) {
                        return cudaErrorInvalidValue;
                    }
                    *flags = found.flags;
                    return cudaSuccess;
                });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return with("cudaStreamGetPriority", profile().host.other, SIMULATOR_CALLED_FROM, stream_of(stream),
                [priority](auto&, const Stream& found) {
                    if (priority == nullptr) {
                        return cudaErrorInvalidValue;
                    }
                    *priority = found.priority;
                    return cudaSuccess;
                });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return create_event("cudaEventCreate", event, cudaEventDefault, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
    return create_event("cudaEventCreateWithFlags", event, flags, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    ApiCall call("cudaEventDestroy", SIMULATOR_CALLED_FROM, profile().host.create_event);
    if (call.device().event(event) == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    const bool fails = call.fails();
    if (call.refused()) {
        return call.result(cudaErrorNotPermitted);
    }
    call.device().destroy_event(event);
    return call.result(fails ? cudaErrorLaunchFailure : cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return record_event("cudaEventRecord", event, stream, cudaEventRecordDefault, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
    return record_event("cudaEventRecordWithFlags", event, stream, flags, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const std::uintptr_t called_from = SIMULATOR_CALLED_FROM;
    return with("cudaEventSynchronize", profile().host.query, called_from, event_of(event),
                [called_from](auto& device, const Event& found) {
                    if (const cudaError_t error = device.refusal_to_wait(found); error != cudaSuccess) {
                        return error;
                    }
                    device.synchronize(found, called_from);
                    return cudaSuccess;
                });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return with("cudaEventQuery", profile().host.query, SIMULATOR_CALLED_FROM, event_of(event),
                [](auto& device, const Event& found) {
                    const cudaError_t error = device.refusal_to_wait(found);
                    return error != cudaSuccess ? error : device.query(found) ? cudaSuccess : cudaErrorNotReady;
                });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return with("cudaEventElapsedTime", profile().host.other, SIMULATOR_CALLED_FROM, event_of(start),
                [milliseconds, end](auto& device, Event& first) {
                    Event* const last = device.event(end);
                    if (last == nullptr) {
                        return cudaErrorInvalidResourceHandle;
                    }
                    return milliseconds == nullptr ? cudaErrorInvalidValue : device.elapsed(milliseconds, first, *last);
                });
}

}  // extern "C"
