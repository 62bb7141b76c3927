// Records what a GPU does while this process runs, and writes it as a trace at exit.
#pragma once

#include <cstdint>
#include <string>

namespace gpu {

// Starts tracing to `file`. Throws std::runtime_error when CUPTI is missing or refuses.
void start_tracing(const std::string& file);

bool tracing();

// The tracer's clock in nanoseconds (CUPTI's); only while tracing.
std::uint64_t trace_clock_ns();

void begin_range(const char* name);
void end_range();

}  // namespace gpu
