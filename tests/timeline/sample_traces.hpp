// Small traces made by hand for the tests of src/timeline.
#pragma once

#include <random>

#include "device/trace.hpp"

namespace sample {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

inline device::Operation operation(device::OperationKind kind, std::uint32_t stream, nanoseconds start,
                                   nanoseconds end) {
    device::Operation result;
    result.kind = kind;
    result.name = kind == device::OperationKind::kernel ? "scale" : "cudaMemcpyAsync";
    result.stream = stream;
    result.issued = nanoseconds{};
    result.start = start;
    result.end = end;
    if (kind == device::OperationKind::host_to_device || kind == device::OperationKind::device_to_host) {
        result.bytes = 1'000'000;
        result.host_memory = device::HostMemory::pinned;
    }
    result.asynchronous = true;
    result.at = {"lab.cu", 20 + static_cast<int>(kind)};
    return result;
}

// Three chunks on two streams, each stage 100 µs, in the range "run"; then one copy outside it.
inline device::Trace three_chunks() {
    using device::OperationKind;
    const auto us = [](int value) { return microseconds(value); };
    device::Trace trace;
    trace.device = "NVIDIA H200";
    trace.profile = "h200-pcie5";
    trace.simulated = true;
    trace.copy_engines = 2;
    for (int chunk = 0; chunk < 3; ++chunk) {
        const std::uint32_t stream = 1 + static_cast<std::uint32_t>(chunk) % 2;
        const int begin = chunk < 2 ? 100 * chunk : 300;
        trace.operations.push_back(operation(OperationKind::host_to_device, stream, us(begin), us(begin + 100)));
        trace.operations.push_back(operation(OperationKind::kernel, stream, us(begin + 100), us(begin + 200)));
        trace.operations.push_back(operation(OperationKind::device_to_host, stream, us(begin + 200), us(begin + 300)));
    }
    trace.operations.push_back(operation(OperationKind::device_to_host, 0, us(700), us(750)));
    trace.operations.back().issued = us(690);
    for (std::size_t index = 0; index < trace.operations.size(); ++index) {
        trace.operations[index].id = index + 1;
    }
    trace.host_calls = {{"cudaMemcpyAsync", us(0), us(20), {"lab.cu", 20}},
                        {"cudaStreamSynchronize", us(20), us(400), {"lab.cu", 30}},
                        {"cudaStreamSynchronize", us(400), us(600), {"lab.cu", 31}},
                        {"cudaMemcpy", us(690), us(750), {"lab.cu", 40}}};
    trace.ranges = {{"allocate", us(0), us(0)}, {"run", us(0), us(600)}, {"release", us(690), us(750)}};
    return trace;
}

// `count` operations of random kinds, streams and short times, some of no length.
inline device::Trace random_trace(unsigned seed, std::size_t count) {
    std::mt19937 engine(seed);
    const auto below = [&](int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(engine); };
    device::Trace trace;
    trace.device = "random";
    for (std::size_t index = 0; index < count; ++index) {
        const nanoseconds start(below(500));
        auto item = operation(static_cast<device::OperationKind>(below(6)), static_cast<std::uint32_t>(below(5)), start,
                              start + nanoseconds(below(40)));
        item.id = index + 1;
        trace.operations.push_back(item);
    }
    return trace;
}

}  // namespace sample
