#include "plain_loops.hpp"

#include "kernel_bodies.hpp"

namespace benchmarks {

#define PLAIN_LOOP(name)                                          \
    void plain_##name(const float* x, float* y, unsigned count) { \
        for (unsigned i = 0; i < count; ++i) {                    \
            name##_body(i, x, y, count);                          \
        }                                                         \
    }

PLAIN_LOOP(neighbours)
PLAIN_LOOP(pages_apart)
PLAIN_LOOP(sums)

}  // namespace benchmarks
