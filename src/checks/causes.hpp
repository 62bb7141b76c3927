// Why a check failed, as an id. Known-wrong submissions are refused each for its stated cause, and the text for people
// is found by it: "cause.<id>" says what happened, "cause.<id>.next" what to try (src/messages/catalog/checks.cpp).
#pragma once

namespace checks::cause {

// The lab program itself.
inline constexpr const char* cannot_start = "cannot_start";        // {program, reason}
inline constexpr const char* crashed = "crashed";                  // {signal, during}
inline constexpr const char* exited_early = "exited_early";        // {code, during}
inline constexpr const char* never_returned = "never_returned";    // {seconds, during}
inline constexpr const char* malformed_reply = "malformed_reply";  // {bytes, during}
inline constexpr const char* forged_reply = "forged_reply";        // {during}
inline constexpr const char* returned_error = "returned_error";    // {error, during}
inline constexpr const char* no_host_input = "no_host_input";      // host_input is null after allocate()
inline constexpr const char* no_host_output = "no_host_output";    // host_output is null after allocate()
inline constexpr const char* refused = "refused";                  // {reason, during}

inline constexpr const char* over_memory_budget = "over_memory_budget";  // {wanted, budget, during}: bytes
inline constexpr const char* host_work_missing = "host_work_missing";    // {elements}, {done, required}: ms

// Wrong values: {wrong, elements, first, got, expected}, and more where noted.
inline constexpr const char* wrong_values = "wrong_values";              // no pattern that names a reason
inline constexpr const char* never_written = "never_written";            // all of host_output still holds the poison
inline constexpr const char* partly_unwritten = "partly_unwritten";      // some of it does
inline constexpr const char* last_chunk_missing = "last_chunk_missing";  // only the last, shorter chunk is wrong
inline constexpr const char* output_is_input = "output_is_input";        // copied there and back, never computed
inline constexpr const char* wrong_offset = "wrong_offset";              // results of other elements {from, to}
inline constexpr const char* stale_values = "stale_values";              // results of the previous run's input
inline constexpr const char* output_read_early = "output_read_early";    // run() returned before the work was done

// What the trace shows.
inline constexpr const char* unordered_access = "unordered_access";                  // finding of the ordering checker
inline constexpr const char* copy_out_of_bounds = "copy_out_of_bounds";              // finding
inline constexpr const char* device_finding = "device_finding";                      // another finding {kind}
inline constexpr const char* pageable_copies = "pageable_copies";                    // {copies, of}
inline constexpr const char* synchronous_copies = "synchronous_copies";              // {copies, of}
inline constexpr const char* no_copies = "no_copies";                                // {direction}
inline constexpr const char* not_in_chunks = "not_in_chunks";                        // {kernels, chunks}
inline constexpr const char* one_stream = "one_stream";                              // everything on one stream
inline constexpr const char* legacy_default_stream = "legacy_default_stream";        // {operations}
inline constexpr const char* device_wide_sync_in_loop = "device_wide_sync_in_loop";  // {calls}
inline constexpr const char* stream_sync_in_loop = "stream_sync_in_loop";            // {calls}
inline constexpr const char* no_overlap = "no_overlap";                              // {first, second, share, required}
inline constexpr const char* small_copies = "small_copies";  // {copies, rate, large_rate, share, required}
inline constexpr const char* host_work_before_kernel = "host_work_before_kernel";  // {share, required}
inline constexpr const char* host_work_after_kernel = "host_work_after_kernel";    // {share, required}
inline constexpr const char* host_work_beside_little = "host_work_beside_little";  // {share, required}
inline constexpr const char* results_without_copy = "results_without_copy";        // finding
inline constexpr const char* no_kernel = "no_kernel";  // computed on the CPU: the trace has no kernel
inline constexpr const char* too_little_kernel_work = "too_little_kernel_work";  // {share, required}

// Events.
inline constexpr const char* stage_not_run = "stage_not_run";              // {stage}: not all of it was measured
inline constexpr const char* not_timed_by_events = "not_timed_by_events";  // {calls}
inline constexpr const char* stage_times_off = "stage_times_off";          // {stage, reported, traced}: ms
inline constexpr const char* roles_share_a_stream = "roles_share_a_stream";  // {first, second, stream}
inline constexpr const char* host_waits_in_loop = "host_waits_in_loop";      // {calls, call}
inline constexpr const char* roles_take_turns = "roles_take_turns";          // {first, second}
inline constexpr const char* waits_for_nothing = "waits_for_nothing";        // finding
inline constexpr const char* timing_event_orders = "timing_event_orders";    // finding

// Host stages: chunks that are produced, and results that are consumed (catalog/lab_double_buffering.cpp).
inline constexpr const char* host_stage_incomplete = "host_stage_incomplete";  // {stage, share}
inline constexpr const char* host_stage_repeated = "host_stage_repeated";      // {stage, share}
inline constexpr const char* producer_waits = "producer_waits";                // {share, required}
inline constexpr const char* device_runs_empty = "device_runs_empty";          // {calls, call}

// What the host's calls cost and wait for.
inline constexpr const char* blocking_copy_calls = "blocking_copy_calls";          // {call, share, required}
inline constexpr const char* slow_copies = "slow_copies";                          // {direction, rate, required, ...}
inline constexpr const char* pinning_in_run = "pinning_in_run";                    // {call, calls}
inline constexpr const char* nothing_registered = "nothing_registered";            // no cudaHostRegister in allocate()
inline constexpr const char* no_pinned_allocation = "no_pinned_allocation";        // no cudaMallocHost in allocate()
inline constexpr const char* input_not_in_place = "input_not_in_place";            // {copies, of}
inline constexpr const char* input_written_by_host = "input_written_by_host";      // finding
inline constexpr const char* another_pinned_buffer = "another_pinned_buffer";      // {calls}: more than host_output
inline constexpr const char* device_wide_wait = "device_wide_wait";                // {call, calls}
inline constexpr const char* no_wait = "no_wait";                                  // run() makes no call that waits
inline constexpr const char* host_work_before_device = "host_work_before_device";  // {share, required}
inline constexpr const char* host_work_after_device = "host_work_after_device";    // {share, required}
inline constexpr const char* host_work_partly_beside = "host_work_partly_beside";  // {share, required}

// Speed: {speedup, required, attainable, share}.
inline constexpr const char* too_slow = "too_slow";
inline constexpr const char* too_slow_elsewhere = "too_slow_elsewhere";  // on another simulated device {profile}
inline constexpr const char* speed_inconclusive = "speed_inconclusive";  // {pairs, low, high}

// Throughput, and the habits that cost it.
inline constexpr const char* throughput_inconclusive = "throughput_inconclusive";  // {pairs, low, high, required_share}
inline constexpr const char* allocation_in_run = "allocation_in_run";              // {call, calls}
inline constexpr const char* copies_too_small = "copies_too_small";                // {copies, of, size, limit}
inline constexpr const char* copies_too_large = "copies_too_large";                // {size, limit}
inline constexpr const char* too_few_streams = "too_few_streams";                  // {streams, needed}
inline constexpr const char* one_stream_for_both_directions = "one_stream_for_both_directions";  // {copies}
inline constexpr const char* timed_by_host_clock = "timed_by_host_clock";                        // {reported, traced}
inline constexpr const char* wrong_reported_time = "wrong_reported_time";                        // {reported, traced}
inline constexpr const char* not_measured = "not_measured";                                      // {sizes, timings}
inline constexpr const char* choice_not_measured = "choice_not_measured";                        // {size, sizes}

// Resources and errors.
inline constexpr const char* leaked_device_memory = "leaked_device_memory";  // {count}
inline constexpr const char* leaked_host_memory = "leaked_host_memory";      // {count}
inline constexpr const char* leaked_stream = "leaked_stream";                // {count}
inline constexpr const char* leaked_event = "leaked_event";                  // {count}
inline constexpr const char* error_ignored = "error_ignored";  // {call}, {n} of {calls}, failed; success was returned
inline constexpr const char* crashed_after_error = "crashed_after_error";                // {n, signal}
inline constexpr const char* never_returned_after_error = "never_returned_after_error";  // {n}
inline constexpr const char* leaked_after_error = "leaked_after_error";                  // {call, n, calls, count}
inline constexpr const char* unchecked_error = "unchecked_error";  // finding: a call that failed, never looked at

// Why a check was not judged.
inline constexpr const char* needs = "needs";                    // {check}: an earlier check did not pass
inline constexpr const char* only_simulated = "only_simulated";  // needs a program built for the simulated device
inline constexpr const char* cannot_check = "cannot_check";      // {reason}: the checks themselves could not go on
inline constexpr const char* assertion = "assertion";            // {message}: a plain GoogleTest assertion

}  // namespace checks::cause
