// Between the harness library, which is built without CUDA, and the student's pipeline.
#pragma once

#include "problem.h"

namespace lab::harness {

// What a function of the pipeline returned: a cudaError_t and its name; code 0 is success.
struct Outcome {
    int code;
    const char* name;
};

// What the baseline program measures of its device; times per chunk in nanoseconds (see protocol::Measurement).
struct Measurement {
    unsigned long long h2d_alone_ns, d2h_alone_ns, h2d_both_ns, d2h_both_ns, kernel_ns;
    unsigned long long h2d_pageable_ns, d2h_pageable_ns, host_copy_ns;
    unsigned rounds, copy_engines;
    char device[256];
};
using Calibrate = Outcome (*)(std::size_t chunk_elements, unsigned rounds, Measurement& result);

// A student's pipeline behind plain function pointers; `self` is what create() returned.
struct Adapter {
    void* (*create)();
    void (*destroy)(void* self);
    Outcome (*allocate)(void* self, const Problem& problem);
    Outcome (*run)(void* self, const Problem& problem);
    Outcome (*release)(void* self);
    Element* (*host_input)(void* self);   // null where the data go through produce() and consume()
    Element* (*host_output)(void* self);  // the same
    Outcome (*measure_stages)(void* self, const Problem& problem, StageTimes& times);  // null in most labs
    float (*elapsed_ms)(void* self);                                                   // null in most labs
    void (*forget_errors)();  // so that an error of one problem is not reported for the next
    Calibrate calibrate;      // null in students' programs
};

// Serves the check program, or runs one problem by hand. Returns the exit status of the program.
int serve(const Adapter& adapter);

// Without a check program: one typical problem, and a line that says how it went (by_hand.cpp).
int run_by_hand(const Adapter& adapter);

}  // namespace lab::harness
