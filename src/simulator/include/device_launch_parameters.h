// threadIdx, blockIdx, blockDim, gridDim and warpSize: cuda_runtime.h has them.
#pragma once

#include "cuda_runtime.h"
