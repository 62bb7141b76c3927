// What the copies and memsets of the runtime API share, plain and by rows.
#pragma once

#include <cstdint>

#include "cuda_runtime.h"
#include "simulator/rows.hpp"

namespace simulator {

cudaError_t copy_call(const char* name, const Rows& to, const Rows& from, cudaMemcpyKind kind, cudaStream_t stream,
                      bool asynchronous, std::uintptr_t called_from);
cudaError_t set_call(const char* name, const Rows& to, int value, cudaStream_t stream, bool asynchronous,
                     std::uintptr_t called_from);

}  // namespace simulator
