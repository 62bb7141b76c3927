// The size of a lab's problem. No CUDA here: the harness library is built without it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab {

// Elements are unsigned integers, so that every result is exact and is compared bit by bit.
using Element = std::uint32_t;

struct Problem {
    std::size_t elements = 0;        // how many elements go in, and come out
    std::size_t chunk_elements = 0;  // elements per chunk; the last chunk may be shorter
    unsigned rounds = 0;             // how much work the kernel does per element: pass it to lab::work
};

}  // namespace lab
