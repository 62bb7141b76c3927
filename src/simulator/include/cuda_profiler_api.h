// Calls that start and stop profilers.
#pragma once

#include "simulator/types.h"

extern "C" {
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
}
