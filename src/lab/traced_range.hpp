// Names a stretch of host time in the trace for as long as it lives.
#pragma once

#include "device/hooks.h"

namespace lab::harness {

class TracedRange {
public:
    explicit TracedRange(const char* name) { device_hooks_range_begin(name); }
    ~TracedRange() { device_hooks_range_end(); }
    TracedRange(const TracedRange&) = delete;
    TracedRange& operator=(const TracedRange&) = delete;
};

}  // namespace lab::harness
