// CUPTI, loaded when a trace is asked for, so that programs also run where it is not installed.
#pragma once

#include <cupti.h>

#include <string>

namespace gpu {

// The functions of CUPTI that the tracer needs.
struct Cupti {
    decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
    decltype(&cuptiActivityEnable) enable = nullptr;
    decltype(&cuptiActivityFlushAll) flush_all = nullptr;
    decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
    decltype(&cuptiGetTimestamp) timestamp = nullptr;
    decltype(&cuptiGetCallbackName) callback_name = nullptr;
    decltype(&cuptiGetResultString) result_string = nullptr;
};

// Loads libcupti. Throws std::runtime_error that says what was looked for and how to get it.
Cupti load_cupti();

}  // namespace gpu
