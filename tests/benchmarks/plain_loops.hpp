// The kernels' work as loops over all threads, compiled with -O2 and nothing else.
#pragma once

namespace benchmarks {

void plain_neighbours(const float* x, float* y, unsigned count);
void plain_pages_apart(const float* x, float* y, unsigned count);
void plain_sums(const float* x, float* y, unsigned count);

}  // namespace benchmarks
