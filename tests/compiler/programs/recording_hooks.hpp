#pragma once

#include <cuda_runtime.h>

struct Recorded {
    int reads = 0, writes = 0, blocks = 0;
};

// Runs one thread of a kernel and counts what its instrumentation records.
Recorded recorded_by_a_thread(simulator::KernelBody& body);
