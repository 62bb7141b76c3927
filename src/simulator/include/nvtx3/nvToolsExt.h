// NVTX on the simulated device: ranges and marks show in the trace, on the host's time. Other calls of NVTX are errors at
// compile time.
#pragma once

#include <stdint.h>

typedef uint64_t nvtxRangeId_t;

extern "C" {

// How many ranges of this thread are open around the new one, or around the one that ends; -1 where none is open.
int nvtxRangePushA(const char* message);
int nvtxRangePop(void);

// A range that may end in another thread, and in any order.
nvtxRangeId_t nvtxRangeStartA(const char* message);
void nvtxRangeEnd(nvtxRangeId_t range);

void nvtxMarkA(const char* message);

}  // extern "C"

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
