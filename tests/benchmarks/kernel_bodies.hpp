// What one thread of each kernel does. Included twice: where it is instrumented, and where it is plain.
#pragma once

namespace benchmarks {

inline constexpr unsigned page_and_a_bit = 1031;  // elements; odd, so that every element has its turn
inline constexpr unsigned summands = 64;

static inline void neighbours_body(unsigned i, const float* x, float* y, unsigned count) {
    if (i < count) {
        y[i] = 2 * x[i] + y[i];
    }
}

static inline void pages_apart_body(unsigned i, const float* x, float* y, unsigned count) {
    if (i < count) {
        const unsigned at = i * page_and_a_bit % count;
        y[at] = 2 * x[at] + y[at];
    }
}

static inline void sums_body(unsigned i, const float* x, float* y, unsigned count) {
    if (i < count) {
        float sum = 0;
        for (unsigned k = 0; k < summands; ++k) {
            sum += x[(i * summands + k) % count];
        }
        y[i] = sum;
    }
}

}  // namespace benchmarks
