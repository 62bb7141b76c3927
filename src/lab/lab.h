// What a lab program is given. You include this, write a Pipeline with three functions, and end with
// LAB_MAIN(Pipeline).
//
//   struct Pipeline {
//       lab::Element* host_input = nullptr;    // the harness fills this between allocate() and run()
//       lab::Element* host_output = nullptr;   // and reads this after run()
//
//       cudaError_t allocate(const lab::Problem& problem);  // not timed: get memory, streams, events
//       cudaError_t run(const lab::Problem& problem);       // timed: every result is in host_output when it returns
//       cudaError_t release();                              // not timed: give everything back, also after an error
//   };
//   LAB_MAIN(Pipeline)
//
// One allocate() may be followed by several run()s, each with new input. release() is always called, also when
// allocate() or run() returned an error.
#pragma once

#include <cuda_runtime.h>

#include "problem.h"  // Element, Problem, StageTimes

namespace lab {

// The work of every kernel of this course: `rounds` steps of the linear congruential generator
// x = 1664525 x + 1013904223 (mod 2^32) (constants: Numerical Recipes). `rounds` is chosen for each lab by
// what copies take on this device; the task page says how long the kernel is. On the simulated device the same value is
// computed in one jump and the time of all rounds is charged.
__device__ Element work(Element value, unsigned rounds);

// Work of the host itself that needs neither the GPU nor its results: it keeps the calling thread busy for
// problem.host_work_ns. Some labs ask for it once in each run().
void host_work(const Problem& problem);

// Where a lab's data come from and go to when they do not fit anywhere at once. produce() writes the inputs
// [first, first + elements) to `staging`, and consume() takes the results of the same elements from `staging`. Both are
// host work: the calling thread is busy meanwhile.
void produce(const Problem& problem, Element* staging, std::size_t first, std::size_t elements);
void consume(const Problem& problem, const Element* staging, std::size_t first, std::size_t elements);

}  // namespace lab

// Return early with the error when a CUDA call fails.
#define LAB_TRY(call)                             \
    do {                                          \
        const cudaError_t lab_try_error = (call); \
        if (lab_try_error != cudaSuccess) {       \
            return lab_try_error;                 \
        }                                         \
    } while (0)

#include "lab_harness.h"  // LAB_MAIN, and the body of work() for this device
