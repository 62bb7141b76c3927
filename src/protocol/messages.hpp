// What a check program and a lab program say to each other: fixed-size messages over a SOCK_SEQPACKET socket, one reply
// to each request. Inputs and outputs travel in memory that both map (shared_memory.hpp), at the offsets of the
// request.
#pragma once

#include <cstdint>
#include <type_traits>

namespace protocol {

inline constexpr std::uint32_t version = 2;

// What host_output holds before run(): an element that still holds it was never written.
inline constexpr std::uint32_t poison = 0xDEADBEEF;

enum class Action : std::uint32_t {
    hello = 1,  // who are you: the reply tells device and abilities
    prepare,    // a fresh pipeline: allocate(), then fill host_input from `input_offset` and poison host_output
    refill,     // the same pipeline: fill and poison again, for another run
    run,        // run(), timed
    collect,    // copy host_output to `output_offset`
    release,    // release(), and forget the pipeline
    measure_stages,  // the student's own measurement of the stages of the prepared problem (labs that have one)
    fail_call,  // arm fault injection: the n-th call from now fails; 0 disarms
    measure,    // calibrate the device (the baseline program only)
    quit        // leave main() in the ordinary way
};

enum class Status : std::uint32_t {
    ok = 0,
    student_error,  // a function of the student's pipeline returned an error: error_code, error_name
    refused         // the harness could not do it: refusal
};

enum class Refusal : std::uint32_t {
    none = 0,
    no_host_input,   // host_input is null although allocate() succeeded for more than zero elements
    no_host_output,  // the same for host_output
    out_of_order,    // run before prepare, and the like
    out_of_bounds,   // the offsets do not lie within the shared memory
    not_supported,   // measure or measure_stages, asked of a program that cannot
    outside_data,    // produce() or consume() was asked for elements that the problem does not have
    device_error     // a CUDA call of the harness itself failed: error_code, error_name
};

// A problem, and where in the shared memory its data lie (bytes).
struct Problem {
    std::uint64_t elements = 0;
    std::uint64_t chunk_elements = 0;
    std::uint32_t rounds = 0;
    std::uint32_t reserved = 0;
    std::uint64_t input_offset = 0;
    std::uint64_t output_offset = 0;
    std::uint64_t host_work_ns = 0;   // what host_work() takes
    std::uint64_t host_copy_ns = 0;   // what produce() and consume() take for a chunk each
    std::uint64_t device_bytes = 0;   // budget of device memory; 0: none
};

// What to measure: chunks of `chunk_elements`; `rounds` 0 asks for the number of rounds that makes k about as long as
// h.
struct MeasureRequest {
    std::uint64_t chunk_elements = 0;
    std::uint32_t rounds = 0;
    std::uint32_t reserved = 0;
};

struct Request {
    std::uint32_t version = protocol::version;
    Action action = Action::hello;
    std::uint64_t nonce = 0;  // random; the reply echoes it, so that no reply can be written before its request
    Problem problem;          // prepare, refill, collect
    std::uint64_t fail_call = 0;
    MeasureRequest measure;
};

// Times for one chunk, in nanoseconds. `alone`: one direction at a time; `both`: while the other direction is busy.
struct Measurement {
    std::uint64_t h2d_alone_ns = 0;
    std::uint64_t d2h_alone_ns = 0;
    std::uint64_t h2d_both_ns = 0;
    std::uint64_t d2h_both_ns = 0;
    std::uint64_t kernel_ns = 0;
    std::uint64_t h2d_pageable_ns = 0;  // cudaMemcpy from pageable memory, as the host sees it
    std::uint64_t d2h_pageable_ns = 0;
    std::uint64_t host_copy_ns = 0;  // a copy from host memory to host memory
    std::uint32_t rounds = 0;
    std::uint32_t copy_engines = 0;
    char device[256] = {};
};

struct Reply {
    std::uint32_t version = protocol::version;
    Action action = Action::hello;
    std::uint64_t nonce = 0;
    Status status = Status::ok;
    Refusal refusal = Refusal::none;
    std::int32_t error_code = 0;   // cudaError_t
    std::uint32_t simulated = 0;   // 1 where elapsed_ns is virtual time
    char error_name[64] = {};      // "cudaErrorMemoryAllocation"
    std::uint64_t elapsed_ns = 0;  // run: device_hooks_clock_ns around run()
    std::uint64_t calls = 0;       // fail_call: calls that can fail since the previous arming
    std::uint64_t host_work_ns = 0;          // run: how long host_work() was asked to take, all together
    std::uint64_t refused_device_bytes = 0;  // prepare, run: an allocation of that size was over the budget
    float reported_ms = 0;                   // run: what the pipeline's elapsed_ms says afterwards
    float stage_ms[3] = {};                  // measure_stages: H2D, kernel, D2H
    Measurement measurement;
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

}  // namespace protocol
