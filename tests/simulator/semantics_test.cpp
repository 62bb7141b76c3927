// When calls return and operations run, on each profile: the rows and notes of CUDA's documented semantics, by
// relations that hold whatever the profile's figures are. The programs check the data themselves.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "device/profile.hpp"
#include "program_run.hpp"

namespace simulator {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

nanoseconds duration(const device::HostCall& call) {
    return call.end - call.start;
}

bool overlap(const device::Operation& a, const device::Operation& b) {
    return a.start < b.end && b.start < a.end;
}

class Semantics : public testing::TestWithParam<std::string> {
protected:
    static const Program& program() {
        static const Program program("semantics");
        return program;
    }

    ProgramRun run_case(const std::string& name, Environment environment = {}) const {
        ProgramRun result = run_with_findings(name, std::move(environment));
        EXPECT_TRUE(result.trace.findings.empty()) << result.output;
        return result;
    }

    ProgramRun run_with_findings(const std::string& name, Environment environment = {}) const {
        environment["COURSE_PROFILE"] = profile_file(GetParam());
        ProgramRun result = run(program(), {name}, environment);
        EXPECT_EQ(result.exit_status, 0) << result.output;
        return result;
    }

    const device::Profile profile_ = device::load_profile(profile_file(GetParam()));
};

TEST_P(Semantics, sync_pinned_copy_blocks_until_it_is_done) {
    const ProgramRun result = run_case("sync_pinned_h2d");
    const device::Operation& copy = result.operation("copy");
    EXPECT_EQ(result.call("copy").end, copy.end + profile_.host.wake_up);
    EXPECT_EQ(copy.stream, 0U);
    EXPECT_EQ(copy.name, "cudaMemcpy");
    EXPECT_EQ(copy.bytes, 4U << 20);
    EXPECT_EQ(copy.host_memory, device::HostMemory::pinned);
    EXPECT_FALSE(copy.asynchronous);
}

TEST_P(Semantics, small_pinned_sync_copy_blocks_too) {
    const ProgramRun result = run_case("small_pinned_h2d");
    EXPECT_GE(result.call("small pinned h2d").end, result.operation("small pinned h2d").end);
}

TEST_P(Semantics, sync_pageable_copies_to_the_device_wait_for_their_stream) {
    for (const std::string name : {"sync_pageable_h2d", "sync_small_pageable_h2d"}) {
        const ProgramRun result = run_case(name);
        const device::Operation& copy = result.operation("sync copy");
        EXPECT_GE(copy.start, result.operation("kernel").end) << name;
        EXPECT_GE(result.call("sync copy").end, copy.end) << name;
        EXPECT_EQ(copy.host_memory, device::HostMemory::pageable) << name;
    }
}

TEST_P(Semantics, small_async_pageable_copies_to_the_device_return_once_staged) {
    const ProgramRun result = run_case("async_small_pageable_h2d");
    EXPECT_LT(result.call("async copy").end, result.operation("kernel").end);
    EXPECT_GE(result.operation("async copy").start, result.operation("kernel").end);
    EXPECT_GT(duration(result.call("async copy")), profile_.host.copy_async);  // staging takes the host's time
}

TEST_P(Semantics, async_pageable_copy_to_the_device_blocks_like_a_staged_one) {
    const ProgramRun result = run_case("async_pageable_h2d");
    const device::Operation& copy = result.operation("async copy");
    EXPECT_TRUE(copy.asynchronous);
    EXPECT_EQ(copy.host_memory, device::HostMemory::pageable);
    EXPECT_GE(copy.start, result.operation("kernel").end);
    EXPECT_GE(result.call("async copy").end, copy.end);
}

TEST_P(Semantics, sync_copies_to_the_host_block_until_they_are_done) {
    for (const std::string name : {"sync_pinned_d2h", "sync_pageable_d2h", "sync_small_pageable_d2h"}) {
        const ProgramRun result = run_case(name);
        EXPECT_GE(result.operation("sync d2h").start, result.operation("d2h kernel").end) << name;
        EXPECT_GE(result.call("sync d2h").end, result.operation("sync d2h").end) << name;
    }
}

TEST_P(Semantics, async_pageable_copies_to_the_host_are_waited_for_in_practice) {
    for (const std::string name : {"async_pageable_d2h", "async_small_pageable_d2h"}) {
        const ProgramRun result = run_case(name);
        EXPECT_GE(result.call("async d2h").end, result.operation("async d2h").end) << name;
    }
}

TEST_P(Semantics, async_pinned_copies_return_at_once) {
    const ProgramRun out = run_case("async_pinned_d2h");
    EXPECT_EQ(duration(out.call("async d2h")), profile_.host.copy_async);
    EXPECT_LT(out.call("async d2h").end, out.operation("d2h kernel").end);

    const ProgramRun in = run_case("async_pinned_h2d");
    EXPECT_EQ(duration(in.call("async pinned h2d")), profile_.host.copy_async);
    EXPECT_EQ(duration(in.call("back in the same stream")), profile_.host.copy_async);
}

TEST_P(Semantics, a_stream_runs_in_order) {
    const ProgramRun result = run_case("async_pinned_h2d");
    const device::Operation& there = result.operation("async pinned h2d");
    const device::Operation& back = result.operation("back in the same stream");
    EXPECT_GE(back.start, there.end);
    EXPECT_EQ(there.issued, result.call("async pinned h2d").end);
    EXPECT_GE(there.start, there.issued + profile_.submission_latency);
    EXPECT_EQ(there.stream, back.stream);
    EXPECT_GE(result.call("wait for the stream").end, back.end);
}

TEST_P(Semantics, copies_on_the_device_do_not_block) {
    const ProgramRun sync = run_case("sync_d2d");
    EXPECT_LT(sync.call("sync d2d").end, sync.operation("sync d2d").end);
    EXPECT_EQ(sync.operation("sync d2d").host_memory, device::HostMemory::none);
    EXPECT_GE(sync.operation("kernel after d2d").start, sync.operation("sync d2d").end);

    const ProgramRun async = run_case("async_d2d");
    EXPECT_LT(async.call("async d2d").end, async.operation("async d2d").end);
    EXPECT_EQ(async.operation("async d2d").stream, async.operation("kernel after d2d").stream);
}

TEST_P(Semantics, copies_between_host_buffers_are_done_when_they_return) {
    const ProgramRun result = run_case("h2h");
    EXPECT_GE(result.call("async h2h").end, result.operation("kernel before h2h").end);
    EXPECT_GT(duration(result.call("sync h2h")), profile_.host.copy_async);
}

TEST_P(Semantics, registering_makes_memory_pinned) {
    const ProgramRun result = run_case("registered_memory_is_pinned");
    EXPECT_EQ(duration(result.call("registered h2d")), profile_.host.copy_async);
    EXPECT_EQ(result.operation("registered h2d").host_memory, device::HostMemory::registered);
    EXPECT_EQ(result.operation("registered d2h").host_memory, device::HostMemory::registered);
    EXPECT_EQ(result.operation("unregistered h2d").host_memory, device::HostMemory::pageable);
    EXPECT_GE(result.call("unregistered h2d").end, result.operation("unregistered h2d").end);
}

TEST_P(Semantics, pageable_copies_of_two_streams_do_not_overlap) {
    const ProgramRun result = run_case("pageable_copies_do_not_overlap");
    EXPECT_GE(result.operation("pageable second").start, result.operation("pageable first").end);
}

TEST_P(Semantics, pinned_copies_and_kernels_overlap_as_the_engines_allow) {
    const ProgramRun result = run_case("pinned_copies_and_kernels_overlap");
    const device::Operation& in = result.operation("overlapping in");
    const device::Operation& out = result.operation("overlapping out");
    const device::Operation& kernel = result.operation("overlapping kernel");
    EXPECT_EQ(overlap(in, out), profile_.copy_engines > 1);
    EXPECT_TRUE(overlap(in, kernel));
    EXPECT_EQ(result.trace.copy_engines, profile_.copy_engines);
    EXPECT_EQ(result.trace.profile, GetParam());
    EXPECT_TRUE(result.trace.simulated);
}

TEST_P(Semantics, zero_bytes_are_no_operation) {
    EXPECT_TRUE(run_case("zero_bytes").trace.operations.empty());
}

TEST_P(Semantics, memset_of_device_memory_does_not_block) {
    const ProgramRun result = run_case("memset_of_device_memory");
    EXPECT_LT(result.call("sync memset").end, result.operation("sync memset").end);
    EXPECT_LT(result.call("async memset").end, result.operation("async memset").end);
    EXPECT_GE(result.operation("async memset").start, result.operation("sync memset").end);  // a blocking stream
    EXPECT_EQ(result.operation("sync memset").kind, device::OperationKind::memset);
    EXPECT_EQ(result.operation("sync memset").bytes, 4U << 20);
}

TEST_P(Semantics, memset_of_pinned_memory_blocks_unless_it_is_async) {
    const ProgramRun result = run_case("memset_of_pinned_memory");
    EXPECT_GE(result.call("sync pinned memset").end, result.operation("sync pinned memset").end);
    EXPECT_LT(result.call("async pinned memset").end, result.operation("async pinned memset").end);
}

TEST_P(Semantics, launches_do_not_block) {
    const ProgramRun result = run_case("launches_do_not_block");
    EXPECT_EQ(duration(result.call("first launch")), profile_.host.launch);
    EXPECT_EQ(duration(result.call("second launch")), profile_.host.launch);
    EXPECT_EQ(result.operation("second launch").start, result.operation("first launch").end);
    EXPECT_EQ(result.operation("first launch").name, "small_busy_kernel");
    EXPECT_EQ(result.call("sync after launches").end, result.operation("second launch").end + profile_.host.wake_up);
}

TEST_P(Semantics, launches_block_when_the_environment_says_so) {
    const ProgramRun result = run_case("launches_do_not_block", {{"CUDA_LAUNCH_BLOCKING", "1"}});
    EXPECT_GE(result.call("first launch").end, result.operation("first launch").end);
    EXPECT_GE(result.call("second launch").end, result.operation("second launch").end);
    const ProgramRun off = run_case("launches_do_not_block", {{"CUDA_LAUNCH_BLOCKING", "0"}});
    EXPECT_EQ(duration(off.call("first launch")), profile_.host.launch);
}

TEST_P(Semantics, small_kernels_overlap_and_large_ones_do_not) {
    const ProgramRun small = run_case("small_kernels_overlap");
    EXPECT_TRUE(overlap(small.operation("small kernel one"), small.operation("small kernel two")));
    const ProgramRun large = run_case("large_kernels_do_not_overlap");
    EXPECT_GE(large.operation("large kernel two").start, large.operation("large kernel one").end);
}

TEST_P(Semantics, device_allocations_wait_for_all_streams) {
    const ProgramRun result = run_case("allocations_wait_for_everything");
    EXPECT_GE(result.call("malloc").end, result.operation("kernel before malloc").end);
    EXPECT_GE(result.call("free").end, result.operation("kernel before free").end);
}

TEST_P(Semantics, host_allocations_do_not_wait) {
    const ProgramRun result = run_case("host_allocations_do_not_wait");
    EXPECT_LT(result.call("host alloc").end, result.operation("kernel before host alloc").end);
    EXPECT_LT(result.call("host register").end, result.operation("kernel before host alloc").end);
}

TEST_P(Semantics, each_synchronization_waits_for_what_it_names) {
    const ProgramRun result = run_case("synchronizations");
    const nanoseconds wake_up = profile_.host.wake_up;
    EXPECT_EQ(result.call("event sync").end, result.operation("quick kernel").end + wake_up);
    EXPECT_EQ(result.call("stream sync").end, result.operation("after the event").end + wake_up);
    EXPECT_EQ(result.call("device sync").end, result.operation("slow kernel").end + wake_up);
    EXPECT_EQ(duration(result.call("idle sync")), profile_.host.query);
}

TEST_P(Semantics, queries_never_wait_and_loops_of_them_end) {
    const ProgramRun result = run_case("queries_end");
    EXPECT_EQ(duration(result.call("early query")), profile_.host.query);
    EXPECT_EQ(duration(result.call("sync after queries")), profile_.host.query);  // nothing is left to wait for
    EXPECT_GE(result.call("sync after queries").start, result.operation("queried kernel").end);
}

TEST_P(Semantics, destroying_a_stream_does_not_wait_for_its_work) {
    const ProgramRun result = run_case("destroying_a_stream_does_not_wait");
    EXPECT_LT(result.call("destroy").end, result.operation("kernel of the destroyed stream").end);
}

TEST_P(Semantics, the_legacy_default_stream_waits_for_blocking_streams_and_they_for_it) {
    const ProgramRun blocking = run_case("legacy_stream_and_blocking_streams");
    EXPECT_GE(blocking.operation("legacy kernel").start, blocking.operation("kernel A").end);
    EXPECT_GE(blocking.operation("kernel B").start, blocking.operation("legacy kernel").end);
    EXPECT_EQ(blocking.operation("legacy kernel").stream, 0U);
    EXPECT_EQ(blocking.operation("kernel A").stream, 1U);
    EXPECT_EQ(blocking.operation("kernel B").stream, 2U);

    const ProgramRun exempt = run_case("legacy_stream_and_non_blocking_streams");
    EXPECT_TRUE(overlap(exempt.operation("legacy kernel"), exempt.operation("kernel A")));
    EXPECT_TRUE(overlap(exempt.operation("legacy kernel"), exempt.operation("kernel B")));
    EXPECT_TRUE(overlap(exempt.operation("kernel A"), exempt.operation("kernel B")));
}

TEST_P(Semantics, the_legacy_handle_names_the_default_stream) {
    const ProgramRun result = run_case("legacy_handle_is_the_default_stream");
    EXPECT_EQ(result.operation("kernel by the handle").stream, 0U);
    EXPECT_GE(result.operation("kernel by the handle").start, result.operation("kernel before the handle").end);
    EXPECT_GE(result.call("sync of the handle").end, result.operation("kernel by the handle").end);
}

TEST_P(Semantics, a_sync_copy_waits_for_blocking_streams_alone) {
    const ProgramRun blocking = run_case("sync_copy_beside_blocking_stream");
    EXPECT_GE(blocking.operation("copy beside the kernel").start, blocking.operation("kernel beside the copy").end);
    const ProgramRun exempt = run_case("sync_copy_beside_non_blocking_stream");
    EXPECT_LT(exempt.call("copy beside the kernel").end, exempt.operation("kernel beside the copy").end);
}

TEST_P(Semantics, waiting_for_the_default_stream_waits_for_blocking_streams) {
    const ProgramRun result = run_case("waiting_for_the_default_stream");
    EXPECT_GE(result.call("default stream sync").end, result.operation("blocking kernel").end);
    EXPECT_LT(result.call("default stream sync").end, result.operation("non-blocking kernel").end);
}

TEST_P(Semantics, an_event_holds_up_later_work_of_the_waiting_stream) {
    const ProgramRun result = run_case("an_event_orders_two_streams");
    EXPECT_EQ(result.operation("kernel after the event").start,
              result.operation("kernel before the event").end + profile_.kernel_dependency_latency);
    EXPECT_TRUE(overlap(result.operation("kernel after the event"), result.operation("kernel beside the waiting one")));
    EXPECT_EQ(duration(result.call("record")), profile_.host.untimed_event_record);
    EXPECT_EQ(duration(result.call("wait")), profile_.host.stream_wait_event);

    const ProgramRun later = run_case("only_later_work_waits");
    EXPECT_TRUE(overlap(later.operation("recorded kernel"), later.operation("earlier kernel of the waiting stream")));
}

TEST_P(Semantics, a_wait_uses_the_latest_recording_at_the_time_of_the_call) {
    const ProgramRun result = run_case("a_wait_uses_the_latest_recording_at_that_time");
    const device::Operation& waiting = result.operation("kernel that waits for the second recording");
    EXPECT_GE(waiting.start, result.operation("kernel before the last recording").end);
    EXPECT_TRUE(overlap(waiting, result.operation("kernel before a later recording")));
}

TEST_P(Semantics, an_event_never_recorded_is_no_work) {
    const ProgramRun result = run_with_findings("an_unrecorded_event_holds_nothing_up");
    EXPECT_EQ(result.findings("waits_for_nothing").size(), result.trace.findings.size()) << result.output;
    EXPECT_TRUE(
        overlap(result.operation("kernel nobody waits for"), result.operation("kernel that waits for nothing")));
    EXPECT_EQ(duration(result.call("sync with an unrecorded event")), profile_.host.query);
}

TEST_P(Semantics, elapsed_time_needs_two_recorded_completed_timing_events) {
    const ProgramRun result = run_case("elapsed_time");
    const device::Operation& kernel = result.operation("timed kernel");
    EXPECT_GT(kernel.end - kernel.start, 3'700'000ns);
    EXPECT_LT(kernel.end - kernel.start, 3'900'000ns);
}

TEST_P(Semantics, the_same_program_leaves_the_same_trace) {
    for (const std::string name : {"pinned_copies_and_kernels_overlap", "synchronizations", "queries_end"}) {
        EXPECT_EQ(run_case(name).trace_bytes, run_case(name).trace_bytes) << name;
    }
}

TEST_P(Semantics, host_time_and_issue_never_run_backwards) {
    const ProgramRun result = run_case("synchronizations");
    nanoseconds last{};
    for (const device::HostCall& call : result.trace.host_calls) {
        EXPECT_GE(call.start, last);
        EXPECT_GE(call.end, call.start);
        last = call.end;
    }
    std::uint64_t id = 0;
    for (const device::Operation& operation : result.trace.operations) {
        EXPECT_EQ(operation.id, ++id);
        EXPECT_GE(operation.start, operation.issued);
        EXPECT_GE(operation.end, operation.start);
    }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    for (char& c : name) {
        c = c == '-' ? '_' : c;
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Profiles, Semantics, testing::Values("h200-pcie5", "one-copy-engine"), test_name);

}  // namespace
}  // namespace simulator
