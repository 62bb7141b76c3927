// Inputs that differ in every element and every run, and what is wrong with an output.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "checks/failure.hpp"

namespace checks {

using Element = std::uint32_t;

struct Problem {
    std::size_t elements = 0;
    std::size_t chunk_elements = 1;
    unsigned rounds = 0;
    std::chrono::nanoseconds host_work{};  // what lab::host_work takes
    std::chrono::nanoseconds host_copy{};  // what lab::produce and lab::consume take for a chunk each
    std::size_t device_bytes = 0;          // the device memory that may be in use at once; 0: no limit

    std::size_t bytes() const { return elements * sizeof(Element); }
    std::size_t chunks() const { return (elements + chunk_elements - 1) / chunk_elements; }
};

// The input at `index` of the run with this seed: a counter-based generator (a mix of both), so that any element can
// be computed alone and no two chunks or runs share their data.
Element input_at(std::uint64_t seed, std::uint64_t index);

void fill_inputs(std::uint64_t seed, std::span<Element> inputs);

// Compares every output with the CPU reference of its input. When some are wrong, the failure names the pattern that
// they make. `previous_seed`: the inputs of the run before, whose results must not come back.
std::optional<Failure> judge_outputs(const Problem& problem, std::uint64_t seed, std::span<const Element> outputs,
                                     std::optional<std::uint64_t> previous_seed);

}  // namespace checks
