// A GPU's side of device/hooks.h: the steady clock, and CUPTI when a trace is asked for.
#include "device/hooks.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "device/environment.hpp"
#include "gpu/tracer.hpp"

namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point program_start = Clock::now();

// Before main, so that nothing that the program does is missed.
[[maybe_unused]] const bool started = [] {
    const char* const file = std::getenv(device::environment::trace_file);
    if (file == nullptr) {
        return false;
    }
    try {
        gpu::start_tracing(file);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::exit(2);
    }
    return true;
}();

}  // namespace

extern "C" {

uint64_t device_hooks_clock_ns(void) {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - program_start).count());
}

void device_hooks_range_begin(const char* name) {
    if (gpu::tracing()) {
        gpu::begin_range(name);
    }
}

void device_hooks_range_end(void) {
    if (gpu::tracing()) {
        gpu::end_range();
    }
}

void device_hooks_host_reads(const void*, size_t, const char*) {}

void device_hooks_host_writes(void*, size_t, const char*) {}

void device_hooks_trusted_copy(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }

void device_hooks_host_work_ns(uint64_t nanoseconds) {
    const Clock::time_point end = Clock::now() + std::chrono::nanoseconds(nanoseconds);
    while (Clock::now() < end) {
    }
}

int device_hooks_simulated(void) { return 0; }

uint64_t device_hooks_fail_call(uint64_t) { return 0; }

}  // extern "C"
