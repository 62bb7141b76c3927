// The pipeline of one problem, from allocate() to release(), and the data that go in and come out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/harness_interface.h"
#include "lab/host_side.hpp"
#include "protocol/messages.hpp"

namespace lab::harness {

class ProblemSession {
public:
    ProblemSession(const Adapter& adapter, const protocol::Problem& problem);
    ~ProblemSession();
    ProblemSession(const ProblemSession&) = delete;
    ProblemSession& operator=(const ProblemSession&) = delete;

    Outcome allocate() const;
    Outcome run();
    Outcome release() const;
    Outcome measure_stages(StageTimes& times) const;  // only where the adapter has it

    // The buffer that the pipeline should have and does not; none: it can be filled and read.
    protocol::Refusal missing_buffer() const;

    // Copies `inputs` in and poisons the outputs. Without buffers, produce() and consume() will move both, and `results`
    // is poisoned. Both hold bytes() bytes and stay where they are until the next fill().
    void fill(const std::byte* inputs, std::byte* results);

    // Copies the outputs to `results`.
    void collect(std::byte* results) const;

    std::size_t bytes() const { return problem_.elements * sizeof(Element); }
    const HostSide& host() const { return host_; }
    float reported_ms() const { return adapter_->elapsed_ms == nullptr ? 0 : adapter_->elapsed_ms(self_); }

private:
    bool has_buffers() const { return adapter_->host_input != nullptr; }

    const Adapter* adapter_;
    HostSide host_;
    Problem problem_;
    void* self_;
};

}  // namespace lab::harness
