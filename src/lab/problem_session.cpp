#include "lab/problem_session.hpp"

#include <algorithm>

#include "device/hooks.h"
#include "lab/traced_range.hpp"

namespace lab::harness {

using protocol::Refusal;

ProblemSession::ProblemSession(const Adapter& adapter, const protocol::Problem& problem)
    : adapter_(&adapter),
      host_({problem.host_work_ns, problem.host_copy_ns, problem.chunk_elements}),
      problem_{problem.elements,     problem.chunk_elements, problem.rounds,
               problem.host_work_ns, problem.device_bytes,   &host_},
      self_(adapter.create()) {
    device_hooks_memory_budget(problem.device_bytes);
}

ProblemSession::~ProblemSession() {
    device_hooks_memory_budget(0);
    adapter_->destroy(self_);
}

Outcome ProblemSession::allocate() const {
    const TracedRange range("allocate");
    return adapter_->allocate(self_, problem_);
}

Outcome ProblemSession::run() {
    host_.begin_run();
    const TracedRange range("run");
    return adapter_->run(self_, problem_);
}

Outcome ProblemSession::measure_stages(StageTimes& times) const {
    const TracedRange range("measure_stages");
    return adapter_->measure_stages(self_, problem_, times);
}

Outcome ProblemSession::release() const {
    const TracedRange range("release");
    return adapter_->release(self_);
}

Refusal ProblemSession::missing_buffer() const {
    if (problem_.elements == 0 || !has_buffers()) {
        return Refusal::none;
    }
    if (adapter_->host_input(self_) == nullptr) {
        return Refusal::no_host_input;
    }
    return adapter_->host_output(self_) == nullptr ? Refusal::no_host_output : Refusal::none;
}

void ProblemSession::fill(const std::byte* inputs, std::byte* results) {
    if (bytes() == 0) {
        return;
    }
    if (!has_buffers()) {
        auto* const elements = reinterpret_cast<Element*>(results);
        host_.set_data(reinterpret_cast<const Element*>(inputs), elements, problem_.elements);
        std::fill_n(elements, problem_.elements, protocol::poison);
        return;
    }
    Element* const input = adapter_->host_input(self_);
    Element* const output = adapter_->host_output(self_);
    device_hooks_host_writes(input, bytes(), "host_input");
    device_hooks_trusted_copy(input, inputs, bytes());
    device_hooks_host_writes(output, bytes(), "host_output");
    std::fill_n(output, problem_.elements, protocol::poison);
}

void ProblemSession::collect(std::byte* results) const {
    if (bytes() == 0 || !has_buffers()) {
        return;
    }
    const Element* const output = adapter_->host_output(self_);
    device_hooks_host_reads(output, bytes(), "host_output");
    device_hooks_trusted_copy(results, output, bytes());
}

}  // namespace lab::harness
