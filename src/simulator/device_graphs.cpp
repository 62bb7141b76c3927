// Stream capture, and the launch of what was captured. What is an error was seen on an H200 (CUDA 13.0).
#include <algorithm>

#include "simulator/issue.hpp"

namespace simulator {

std::size_t Graph::operations() const {
    return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [](const GraphStep& step) {
        return step.kind == GraphStep::Kind::operation;
    }));
}

bool Capture::all_joined() const {
    for (std::uint32_t stream = 1; stream < clocks.size(); ++stream) {
        if (!clocks[0].covers({stream, clocks[stream].time(stream)})) {
            return false;
        }
    }
    return true;
}

// --- what may be called during a capture ---

cudaError_t SimulatedDevice::invalidate(Capture& capture, cudaError_t error) {
    capture.invalidated = true;
    return error;
}

cudaError_t SimulatedDevice::refusal_during_capture() {
    cudaError_t error = cudaSuccess;
    for (const auto& capture : captures_) {
        const bool concerned = capture->mode == cudaStreamCaptureModeGlobal ||
                               (capture->mode == cudaStreamCaptureModeThreadLocal && capture->thread == &here());
        if (concerned) {
            error = invalidate(*capture, cudaErrorStreamCaptureUnsupported);
        }
    }
    return error;
}

cudaError_t SimulatedDevice::refusal_in(const Stream& stream) {
    if (const cudaError_t error = refusal_over_budget(); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr) {
        return stream.capture->invalidated ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    }
    cudaError_t error = cudaSuccess;
    for (const auto& capture : captures_) {
        const bool blocking = std::any_of(capture->streams.begin(), capture->streams.end(),
                                          [](const Stream* captured) { return captured->blocking(); });
        if (stream.number == 0 && blocking) {  // it would have to wait for a stream that runs nothing
            error = invalidate(*capture, cudaErrorStreamCaptureImplicit);
        }
    }
    return error;
}

cudaError_t SimulatedDevice::refusal_to_wait(const Stream& stream) {
    if (stream.capture != nullptr) {
        return invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
    }
    const cudaError_t error = refusal_in(stream);
    return error != cudaSuccess ? error : refusal_during_capture();
}

cudaError_t SimulatedDevice::refusal_to_wait(const Event& event) {
    if (event.captured.capture == 0) {
        return refusal_during_capture();
    }
    Capture* const capture = capture_of(event);
    return capture == nullptr ? cudaErrorInvalidValue : invalidate(*capture, cudaErrorCapturedEvent);
}

cudaError_t SimulatedDevice::refuse_in_capture(Stream& stream) {
    return invalidate(*stream.capture, cudaErrorStreamCaptureUnsupported);
}

// --- capture ---

Capture* SimulatedDevice::capture_of(const Event& event) {
    const auto found = std::find_if(captures_.begin(), captures_.end(), [&event](const auto& capture) {
        return capture->id == event.captured.capture;
    });
    return found != captures_.end() ? found->get() : nullptr;
}

void SimulatedDevice::join_capture(Stream& stream, Capture& capture) {
    stream.capture = &capture;
    stream.capture_index = capture.streams.size();
    capture.streams.push_back(&stream);
    capture.graph.stream_numbers.push_back(stream.number);
    capture.clocks.emplace_back();
}

cudaError_t SimulatedDevice::begin_capture(Stream& stream, cudaStreamCaptureMode mode, std::uintptr_t called_from) {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) {
        return cudaErrorInvalidValue;
    }
    if (stream.number == 0) {
        return cudaErrorStreamCaptureUnsupported;
    }
    if (stream.capture != nullptr) {
        return cudaErrorIllegalState;
    }
    Capture& capture = *captures_.emplace_back(std::make_unique<Capture>());
    capture.id = ++captures_begun_;
    capture.mode = mode;
    capture.thread = &here();
    capture.graph.created_from = called_from;
    join_capture(stream, capture);
    return cudaSuccess;
}

cudaError_t SimulatedDevice::end_capture(Stream& stream, cudaGraph_t* graph) {
    if (graph != nullptr) {
        *graph = nullptr;
    }
    if (stream.capture == nullptr) {
        return cudaErrorIllegalState;
    }
    Capture& capture = *stream.capture;
    if (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread != &here()) {
        return invalidate(capture, cudaErrorStreamCaptureWrongThread);
    }
    if (stream.capture_index != 0) {
        return invalidate(capture, cudaErrorStreamCaptureUnmatched);
    }
    const cudaError_t error = capture.invalidated      ? cudaErrorStreamCaptureInvalidated
                              : !capture.all_joined() ? cudaErrorStreamCaptureUnjoined
                              : graph == nullptr      ? cudaErrorInvalidValue
                                                      : cudaSuccess;
    if (error == cudaSuccess) {
        auto made = std::make_shared<Graph>(std::move(capture.graph));
        *graph = reinterpret_cast<cudaGraph_t>(made.get());
        graphs_[*graph] = std::move(made);
    }
    for (Stream* const captured : capture.streams) {
        captured->capture = nullptr;
    }
    std::erase_if(captures_, [&capture](const auto& other) { return other.get() == &capture; });
    return error;
}

cudaError_t SimulatedDevice::capture_operation(Stream& stream, std::function<cudaError_t(Stream&)> issue) {
    Capture& capture = *stream.capture;
    capture.graph.steps.push_back({GraphStep::Kind::operation, stream.capture_index, 0, std::move(issue)});
    capture.clocks[stream.capture_index].advance(static_cast<std::uint32_t>(stream.capture_index));
    return cudaSuccess;
}

void SimulatedDevice::capture_record(Event& event, Stream& stream) {
    Capture& capture = *stream.capture;
    event.captured = {capture.id, capture.graph.events++, capture.clocks[stream.capture_index]};
    capture.graph.steps.push_back({GraphStep::Kind::record, stream.capture_index, event.captured.event, {}});
}

cudaError_t SimulatedDevice::capture_wait(Stream& stream, const Event& event) {
    if (event.captured.capture == 0) {
        return event.recorded ? invalidate(*stream.capture, cudaErrorStreamCaptureIsolation) : cudaSuccess;
    }
    Capture* const capture = capture_of(event);
    if (capture == nullptr) {
        return cudaErrorInvalidValue;
    }
    if (stream.capture != nullptr && stream.capture != capture) {
        invalidate(*stream.capture, cudaErrorStreamCaptureMerge);
        return invalidate(*capture, cudaErrorStreamCaptureMerge);
    }
    if (stream.number == 0) {
        return invalidate(*capture, cudaErrorStreamCaptureImplicit);
    }
    if (stream.capture == nullptr) {
        join_capture(stream, *capture);
    }
    capture->graph.steps.push_back({GraphStep::Kind::wait, stream.capture_index, event.captured.event, {}});
    capture->clocks[stream.capture_index].join(event.captured.clock);
    return cudaSuccess;
}

// --- graphs ---

Graph* SimulatedDevice::graph(cudaGraph_t handle) {
    const auto found = graphs_.find(handle);
    return found != graphs_.end() ? found->second.get() : nullptr;
}

bool SimulatedDevice::destroy_graph(cudaGraph_t handle) {
    return graphs_.erase(handle) > 0;
}

cudaGraphExec_t SimulatedDevice::instantiate(cudaGraph_t handle, std::uintptr_t called_from) {
    auto made = std::make_unique<GraphExec>();
    made->graph = graphs_.at(handle);
    made->created_from = called_from;
    for (std::size_t i = 1; i < made->graph->stream_numbers.size(); ++i) {
        Stream& branch = made->branches.emplace_back();
        branch.number = made->graph->stream_numbers[i];
        branch.agent = next_agent_++;
        branch.flags = cudaStreamNonBlocking;  // it is held up by the stream of the launch alone
    }
    const auto exec = reinterpret_cast<cudaGraphExec_t>(made.get());
    graph_execs_[exec] = std::move(made);
    return exec;
}

GraphExec* SimulatedDevice::graph_exec(cudaGraphExec_t handle) {
    const auto found = graph_execs_.find(handle);
    return found != graph_execs_.end() ? found->second.get() : nullptr;
}

void SimulatedDevice::destroy_graph_exec(cudaGraphExec_t handle) {
    graph_execs_.erase(handle);
}

cudaError_t SimulatedDevice::launch_graph(GraphExec& exec, Stream& stream) {
    if (const cudaError_t error = refusal_in(stream); error != cudaSuccess) {
        return error;
    }
    if (stream.capture != nullptr) {
        return refuse_in_capture(stream);
    }
    // Behind the stream's earlier work, and behind the previous launch of the same graph.
    mark(stream, exec.last.task);
    stream.clock.join(exec.last.clock);
    std::vector<Event> events(exec.graph->events);
    for (const GraphStep& step : exec.graph->steps) {
        Stream& in = step.stream == 0 ? stream : exec.branches[step.stream - 1];
        if (step.kind == GraphStep::Kind::record) {
            events[step.event].task = mark(in, 0);
            events[step.event].clock = in.clock;
        } else if (step.kind == GraphStep::Kind::wait) {
            mark(in, events[step.event].task);
            in.clock.join(events[step.event].clock);
        } else if (const cudaError_t error = step.issue(in); error != cudaSuccess) {
            behind_graph_node_ = false;
            return error;
        } else {
            behind_graph_node_ = true;
        }
    }
    behind_graph_node_ = false;
    exec.last.task = stream.last_task;
    exec.last.clock = stream.clock;
    return cudaSuccess;
}

}  // namespace simulator
