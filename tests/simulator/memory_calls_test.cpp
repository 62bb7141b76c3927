// Memory in rows, in stream order, mapped and managed: results, time, order and findings.
#include <gtest/gtest.h>

#include "device/profile.hpp"
#include "program_findings.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("memory_calls");
    return program;
}

TEST(Rows, are_copied_and_set_alone) {
    const ProgramRun result = expect_clean(program(), "rows_there_and_back");
    EXPECT_EQ(result.operation("memset 2d").bytes, 500U);
    EXPECT_EQ(result.operation("h2d 2d").bytes, 400U);
    EXPECT_EQ(result.operation("h2d 2d").name, "cudaMemcpy2D");
    EXPECT_FALSE(result.operation("h2d 2d").asynchronous);
    const ProgramRun between = expect_clean(program(), "rows_between_device_buffers");
    EXPECT_LT(between.call("rows to the host").end, between.operation("rows to the host").end);
}

TEST(Rows, that_cannot_be_are_refused) {
    expect_clean(program(), "errors_of_rows");
}

TEST(Rows, beyond_the_end_are_found) {
    const ProgramRun result = run(program(), {"rows_out_of_bounds"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    const auto found = result.findings("copy_out_of_bounds");
    ASSERT_EQ(found.size(), 2U) << result.output;
    expect_line(program(), found[0].at, "too high");
    expect_line(program(), found[1].at, "set too high");
    EXPECT_EQ(found[0].details.at("bytes"), std::to_string(5 * 512 + 100));
}

TEST(Rows, are_judged_row_by_row) {
    expect_clean(program(), "columns_apart");
    const device::Finding finding =
        expect_finding(program(), "columns_that_overlap", "unordered_access", "right columns", "left columns");
    EXPECT_EQ(finding.details.at("bytes"), "1");
}

TEST(Rows, of_pageable_memory_are_staged) {
    const ProgramRun result = expect_clean(program(), "pageable_rows_may_be_reused");
    EXPECT_EQ(result.operation("staged rows").host_memory, device::HostMemory::pageable);
}

TEST(MemoryOfStreams, comes_and_goes_in_order) {
    const ProgramRun result = expect_clean(program(), "memory_of_a_stream");
    EXPECT_LT(result.call("async malloc").end, result.operation("kernel before the allocation").end);
    EXPECT_LT(result.call("async free").end, result.operation("kernel with the memory").end);
    EXPECT_EQ(result.trace.operations.size(), 3U);  // an allocation is none
    for (std::size_t i = 0; i < result.trace.operations.size(); ++i) {
        EXPECT_EQ(result.trace.operations[i].id, i + 1);
    }
    expect_clean(program(), "memory_across_streams");
    expect_clean(program(), "errors_of_memory_in_streams");
}

TEST(MemoryOfStreams, used_without_order_is_found) {
    const device::Finding early = expect_finding(program(), "memory_used_before_it_is_there", "unordered_access",
                                                 "use before the allocation", "allocation of the other stream");
    EXPECT_EQ(early.details.at("first"), "access.allocation");
    const device::Finding late = expect_finding(program(), "memory_freed_while_in_use", "unordered_access",
                                                "free beside the use", "use beside the free");
    EXPECT_EQ(late.details.at("second"), "access.free");
    EXPECT_EQ(late.details.at("second.name"), "cudaFreeAsync");
}

TEST(MemoryOfStreams, used_after_its_free_is_found) {
    expect_finding(program(), "kernel_after_the_free", "use_after_free", "write in a kernel");
    expect_finding(program(), "copy_after_the_free", "use_after_free", "copy after the free");
    expect_finding(program(), "freed_twice_in_stream", "use_after_free", "freed in stream again");
}

TEST(MappedMemory, is_used_by_kernels_over_the_link) {
    const ProgramRun result = expect_clean(program(), "mapped_memory");
    const device::Operation& kernel = result.operation("kernel on mapped memory");
    const device::Profile profile = device::load_profile(profile_file("h200-pcie5"));
    const double seconds = std::chrono::duration<double>(kernel.end - kernel.start).count();
    EXPECT_GE(seconds, (16 << 20) / profile.device_to_host.pinned_bytes_per_second);
    expect_finding(program(), "mapped_memory_read_too_early", "unordered_access", "read beside the kernel",
                   "kernel on pinned memory");
}

TEST(Pointers, say_what_they_point_to) {
    expect_clean(program(), "what_pointers_say");
}

TEST(ManagedMemory, is_valid_on_both_sides) {
    expect_clean(program(), "managed_memory");
    expect_finding(program(), "managed_memory_read_too_early", "unordered_access", "managed memory written beside it",
                   "kernel on managed memory");
}

TEST(ManagedMemory, moves_when_told) {
    const ProgramRun result = expect_clean(program(), "managed_memory_moves_when_told");
    const device::Operation& there = result.operation("prefetch to the device");
    EXPECT_EQ(there.kind, device::OperationKind::host_to_device);
    EXPECT_GE(result.operation("kernel after the prefetch").start, there.end);
    EXPECT_GE(result.operation("prefetch to the host").start, result.operation("kernel after the prefetch").end);
    EXPECT_EQ(result.trace.operations.size(), 3U);  // what is there already does not move
}

TEST(Leaks, of_these_kinds_are_found_too) {
    const ProgramRun result = run(program(), {"leaks"});
    EXPECT_EQ(result.trace.findings.size(), 2U) << result.output;
    ASSERT_EQ(result.findings("leaked_managed_memory").size(), 1U);
    expect_line(program(), result.findings("leaked_managed_memory")[0].at, "leaked managed memory");
    ASSERT_EQ(result.findings("leaked_device_memory").size(), 1U);
    expect_line(program(), result.findings("leaked_device_memory")[0].at, "leaked memory of a stream");
}

TEST(FaultInjection, reaches_these_calls) {
    EXPECT_EQ(failing_calls(program(), "fails_once"), 17);
}

}  // namespace
}  // namespace simulator
