// What stream capture collects, and what becomes of it: the calls on each captured stream in their order, to be issued
// again at every launch. The first stream is the one in which the capture began.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "simulator/include/simulator/types.h"
#include "simulator/ordering/vector_clock.hpp"

namespace simulator {

struct HostThread;
struct Stream;

struct GraphStep {
    enum class Kind { operation, record, wait } kind = Kind::operation;
    std::size_t stream = 0;
    std::size_t event = 0;                            // which recording: record, wait
    std::function<cudaError_t(Stream& stream)> issue;  // operation
};

struct Graph {
    std::vector<GraphStep> steps;
    std::vector<std::uint32_t> stream_numbers;  // under which the operations of each stream are shown
    std::size_t events = 0;
    std::uintptr_t created_from = 0;

    std::size_t operations() const;
};

// A capture under way.
struct Capture {
    std::uint64_t id = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    const HostThread* thread = nullptr;
    bool invalidated = false;
    Graph graph;
    std::vector<Stream*> streams;
    std::vector<VectorClock> clocks;  // of each stream: which operations of the others come before what follows

    bool all_joined() const;  // into the first stream
};

// The recording of an event within a capture.
struct CapturedEvent {
    std::uint64_t capture = 0;  // 0: it was recorded outside
    std::size_t event = 0;
    VectorClock clock;
};

}  // namespace simulator
