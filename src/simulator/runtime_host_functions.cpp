// The runtime API: host functions in streams.
#include "simulator/api_call.hpp"

using simulator::ApiCall;
using simulator::profile;
using simulator::Stream;

namespace {

cudaError_t launch(const char* name, cudaStream_t stream, bool valid, std::function<void()> function,
                   std::uintptr_t called_from, bool may_be_captured = true) {
    ApiCall call(name, called_from, profile().host.launch_host_function);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (!valid) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    if (in->capture != nullptr && !may_be_captured) {
        return call.result(call.device().refuse_in_capture(*in));
    }
    return call.result(call.device().launch_host_function(std::move(function), *in, name, called_from));
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return launch("cudaLaunchHostFunc", stream, function != nullptr, [function, data] { function(data); },
                  SIMULATOR_CALLED_FROM);
}

// No error of earlier work reaches a callback here: the simulated device reports those where they are made.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags) {
    return launch("cudaStreamAddCallback", stream, callback != nullptr && flags == 0,
                  [stream, callback, data] { callback(stream, cudaSuccess, data); }, SIMULATOR_CALLED_FROM, false);
}

}  // extern "C"
