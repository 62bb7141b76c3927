// The runtime API: stream capture and graphs.
#include "simulator/api_call.hpp"

using simulator::ApiCall;
using simulator::profile;
using simulator::Stream;

namespace {

constexpr unsigned long long known_flags = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority;

cudaError_t instantiate(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags,
                        std::uintptr_t called_from) {
    ApiCall call(name, called_from, profile().host.device_allocation);
    if (exec == nullptr || call.device().graph(graph) == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if ((flags & ~known_flags) != 0) {
        return call.result(cudaErrorNotSupported);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    *exec = call.device().instantiate(graph, called_from);
    return call.result(cudaSuccess);
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    ApiCall call("cudaStreamBeginCapture", SIMULATOR_CALLED_FROM, profile().host.other);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    return call.result(call.device().begin_capture(*in, mode, SIMULATOR_CALLED_FROM));
}

// The capture ends even when fault injection lets the call fail.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    ApiCall call("cudaStreamEndCapture", SIMULATOR_CALLED_FROM, profile().host.other);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    const bool fails = call.fails();
    if (call.refused()) {
        return call.result(cudaErrorNotPermitted);
    }
    const cudaError_t error = call.device().end_capture(*in, graph);
    if (fails && error == cudaSuccess) {
        call.device().destroy_graph(*graph);
        *graph = nullptr;
        return call.result(cudaErrorStreamCaptureInvalidated);
    }
    return call.result(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    ApiCall call("cudaStreamIsCapturing", SIMULATOR_CALLED_FROM, profile().host.other);
    Stream* const in = call.device().stream(stream);
    if (in == nullptr || status == nullptr) {
        return call.result(in == nullptr ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *status = in->capture == nullptr       ? cudaStreamCaptureStatusNone
              : in->capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                         : cudaStreamCaptureStatusActive;
    return call.result(call.device().refusal_in(*in) == cudaErrorStreamCaptureImplicit ? cudaErrorStreamCaptureImplicit
                                                                                      : cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
    return instantiate("cudaGraphInstantiateWithFlags", exec, graph, flags, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
    return instantiate("cudaGraphInstantiate", exec, graph, flags, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    ApiCall call("cudaGraphLaunch", SIMULATOR_CALLED_FROM, profile().host.graph_launch);
    Stream* const in = call.device().stream(stream);
    simulator::GraphExec* const found = call.device().graph_exec(exec);
    if (in == nullptr || found == nullptr) {
        return call.result(in == nullptr ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorLaunchFailure);
    }
    return call.result(call.device().launch_graph(*found, *in));
}

// With no place for the nodes, how many there are; the nodes themselves are not to be had here.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    ApiCall call("cudaGraphGetNodes", SIMULATOR_CALLED_FROM, profile().host.other);
    const simulator::Graph* const found = call.device().graph(graph);
    if (found == nullptr || count == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (nodes != nullptr) {
        return call.result(cudaErrorNotSupported);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *count = found->operations();
    return call.result(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    ApiCall call("cudaGraphDestroy", SIMULATOR_CALLED_FROM, profile().host.other);
    const bool fails = call.fails();
    if (call.refused() || !call.device().destroy_graph(graph)) {
        return call.result(cudaErrorInvalidValue);
    }
    return call.result(fails ? cudaErrorLaunchFailure : cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    ApiCall call("cudaGraphExecDestroy", SIMULATOR_CALLED_FROM, profile().host.other);
    const bool fails = call.fails();
    if (call.refused() || call.device().graph_exec(exec) == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    call.device().destroy_graph_exec(exec);
    return call.result(fails ? cudaErrorLaunchFailure : cudaSuccess);
}

}  // extern "C"
