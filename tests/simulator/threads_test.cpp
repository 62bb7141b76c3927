// Host threads: each has its own errors and default stream, and order between them is seen.
#include <gtest/gtest.h>

#include "program_findings.hpp"

namespace simulator {
namespace {

const Program& program() {
    static const Program program("threads");
    return program;
}

const Program& per_thread() {
    static const Program program("per_thread_stream");
    return program;
}

bool overlap(const device::Operation& a, const device::Operation& b) {
    return a.start < b.end && b.start < a.end;
}

class Threads : public testing::TestWithParam<std::string> {};

TEST_P(Threads, that_are_in_order_are_not_accused) {
    for (int i = 0; i < 5; ++i) {
        expect_clean(program(), GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Threads,
                         testing::Values("one_waits_and_another_reads_after_its_start",
                                         "one_waits_and_another_reads_after_its_end", "a_condition_variable_hands_over",
                                         "an_atomic_hands_over", "a_future_hands_over", "one_fills_and_another_copies",
                                         "many_threads", "errors_belong_to_their_thread",
                                         "a_host_function_starts_a_thread"),
                         [](const auto& info) { return info.param; });

TEST(Thread, that_reads_without_waiting_is_found) {
    expect_finding(program(), "another_reads_without_waiting", "unordered_access", "read of the second thread",
                   "copy of the first thread");
}

TEST(DefaultStreams, have_handles) {
    const ProgramRun result = expect_clean(program(), "the_handles_of_default_streams");
    const device::Operation& here = result.operation("kernel of this thread");
    const device::Operation& there = result.operation("kernel of another thread");
    EXPECT_NE(here.stream, there.stream);
    EXPECT_TRUE(overlap(here, there));
    EXPECT_GE(result.operation("kernel after both").start, here.end);
    EXPECT_GE(result.operation("kernel after both").start, there.end);
}

TEST(PerThreadDefaultStream, is_one_for_each_thread) {
    const ProgramRun result = expect_clean(per_thread(), "threads_overlap");
    const device::Operation& here = result.operation("default kernel of this thread");
    const device::Operation& there = result.operation("default kernel of another thread");
    EXPECT_TRUE(overlap(here, there));
    EXPECT_GE(result.call("wait for this thread's stream").end, here.end);
}

TEST(PerThreadDefaultStream, is_an_ordinary_blocking_stream) {
    const ProgramRun beside = expect_clean(per_thread(), "other_streams_are_not_held_up");
    EXPECT_TRUE(overlap(beside.operation("kernel of a stream"), beside.operation("kernel beside it")));
    const ProgramRun legacy = expect_clean(per_thread(), "the_legacy_stream_still_waits");
    EXPECT_GE(legacy.operation("legacy kernel").start, legacy.operation("default kernel").end);
    EXPECT_GE(legacy.operation("default kernel again").start, legacy.operation("legacy kernel").end);
    EXPECT_EQ(legacy.operation("legacy kernel").stream, 0U);
    const ProgramRun copy = expect_clean(per_thread(), "copies_wait_for_this_thread_alone");
    EXPECT_LT(copy.call("copy of this thread").end, copy.operation("kernel of another stream").end);
}

}  // namespace
}  // namespace simulator
