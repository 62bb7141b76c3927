// What turns a student's Pipeline into a program: the body of work(), and LAB_MAIN. Only lab.h includes this.
// Kept free of the standard library, because every save compiles it again.
#pragma once

#include <type_traits>

#include "harness_interface.h"

namespace lab {

#ifdef __SIMULATED_DEVICE__

// Defined in the harness library: computes the value in one jump and charges the time of all rounds.
extern "C" Element lab_simulated_work(Element value, unsigned rounds);

__device__ inline Element work(Element value, unsigned rounds) {
    return lab_simulated_work(value, rounds);
}

#else

__device__ inline Element work(Element value, unsigned rounds) {
#pragma unroll 4
    for (unsigned round = 0; round < rounds; ++round) {
        value = 1664525u * value + 1013904223u;
        asm volatile("" : "+r"(value));  // or the compiler computes several rounds in one step
    }
    return value;
}

#endif

namespace harness {

inline Outcome outcome_of(cudaError_t error) {
    return {static_cast<int>(error), cudaGetErrorName(error)};
}

// Says in the compiler's message which member of the student's struct is missing or has another type.
template <typename Pipeline>
constexpr bool has_host_buffers() {
    static_assert(
        requires(Pipeline p) { requires std::is_same_v<decltype(p.host_input), Element*>; },
        "LAB_MAIN: the pipeline needs a member `lab::Element* host_input`");
    static_assert(
        requires(Pipeline p) { requires std::is_same_v<decltype(p.host_output), Element*>; },
        "LAB_MAIN: the pipeline needs a member `lab::Element* host_output`");
    return true;
}

template <typename Pipeline>
constexpr bool is_a_pipeline() {
    static_assert(
        requires(Pipeline p, const Problem q) { requires std::is_same_v<decltype(p.allocate(q)), cudaError_t>; },
        "LAB_MAIN: the pipeline needs a function `cudaError_t allocate(const lab::Problem& problem)`");
    static_assert(
        requires(Pipeline p, const Problem q) { requires std::is_same_v<decltype(p.run(q)), cudaError_t>; },
        "LAB_MAIN: the pipeline needs a function `cudaError_t run(const lab::Problem& problem)`");
    static_assert(
        requires(Pipeline p) { requires std::is_same_v<decltype(p.release()), cudaError_t>; },
        "LAB_MAIN: the pipeline needs a function `cudaError_t release()`");
    return true;
}

template <typename Pipeline>
constexpr bool measures_stages = requires(Pipeline p, const Problem q, StageTimes t) {
    requires std::is_same_v<decltype(p.measure_stages(q, t)), cudaError_t>;
};

template <typename Pipeline>
constexpr bool reports_time = requires(Pipeline p) { requires std::is_same_v<decltype(p.elapsed_ms), float>; };

// What every lab program has.
template <typename Pipeline>
Adapter adapter_of(Calibrate calibrate) {
    static_assert(is_a_pipeline<Pipeline>());
    Adapter adapter{};
    adapter.create = []() -> void* { return new Pipeline(); };
    adapter.destroy = [](void* self) { delete static_cast<Pipeline*>(self); };
    adapter.allocate = [](void* self, const Problem& p) {
        return outcome_of(static_cast<Pipeline*>(self)->allocate(p));
    };
    adapter.run = [](void* self, const Problem& p) { return outcome_of(static_cast<Pipeline*>(self)->run(p)); };
    adapter.release = [](void* self) { return outcome_of(static_cast<Pipeline*>(self)->release()); };
    adapter.forget_errors = [] { (void)cudaGetLastError(); };
    adapter.calibrate = calibrate;
    if constexpr (measures_stages<Pipeline>) {
        adapter.measure_stages = [](void* self, const Problem& p, StageTimes& times) {
            return outcome_of(static_cast<Pipeline*>(self)->measure_stages(p, times));
        };
    }
    if constexpr (reports_time<Pipeline>) {
        adapter.elapsed_ms = [](void* self) { return static_cast<Pipeline*>(self)->elapsed_ms; };
    }
    return adapter;
}

// The same for a pipeline whose data lie in buffers that the harness fills and reads.
template <typename Pipeline>
Adapter buffered_adapter_of(Calibrate calibrate) {
    static_assert(has_host_buffers<Pipeline>());
    Adapter adapter = adapter_of<Pipeline>(calibrate);
    adapter.host_input = [](void* self) -> Element* { return static_cast<Pipeline*>(self)->host_input; };
    adapter.host_output = [](void* self) -> Element* { return static_cast<Pipeline*>(self)->host_output; };
    return adapter;
}

}  // namespace harness
}  // namespace lab

#define LAB_MAIN(Pipeline)                                                                \
    int main() {                                                                          \
        return lab::harness::serve(lab::harness::buffered_adapter_of<Pipeline>(nullptr)); \
    }

// For a pipeline without host_input and host_output, whose data go through lab::produce and lab::consume.
#define LAB_MAIN_WITH_PRODUCER(Pipeline)                                         \
    int main() {                                                                 \
        return lab::harness::serve(lab::harness::adapter_of<Pipeline>(nullptr)); \
    }

// For the trusted baseline programs: `calibrate` answers the check program's request to measure the device.
#define LAB_MAIN_WITH_CALIBRATION(Pipeline, calibrate)                                      \
    int main() {                                                                            \
        return lab::harness::serve(lab::harness::buffered_adapter_of<Pipeline>(calibrate)); \
    }

#define LAB_MAIN_WITH_PRODUCER_AND_CALIBRATION(Pipeline, calibrate)                \
    int main() {                                                                   \
        return lab::harness::serve(lab::harness::adapter_of<Pipeline>(calibrate)); \
    }
