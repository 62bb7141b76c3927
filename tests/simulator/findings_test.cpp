// What the ordering checker and its neighbours find in programs, and that they find nothing else. The programs check
// themselves that a missing wait gives the wrong data.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "program_findings.hpp"

namespace simulator {
namespace {

using device::Finding;
using device::Severity;

const Program& program() {
    static const Program program("findings");
    return program;
}

ProgramRun run_findings(const std::vector<std::string>& arguments, const Environment& environment = {}) {
    ProgramRun result = run(program(), arguments, environment);
    EXPECT_EQ(result.exit_status, 0) << result.output;
    return result;
}

void expect_at(const device::SourceLine& found, const std::string& marker) {
    EXPECT_EQ(found.line, program().line(marker)) << marker;
    EXPECT_TRUE(found.file.ends_with("findings.cu")) << found.file;
}

// Exactly one finding, of `kind`, at the lines marked `at` and (unless empty) `other`.
Finding expect_only(const ProgramRun& result, const std::string& kind, const std::string& at,
                    const std::string& other = {}) {
    if (result.trace.findings.size() != 1) {
        ADD_FAILURE() << "expected one finding, found " << result.trace.findings.size() << ":\n" << result.output;
        return {};
    }
    const Finding& finding = result.trace.findings.front();
    EXPECT_EQ(finding.kind, kind);
    expect_at(finding.at, at);
    if (other.empty()) {
        EXPECT_EQ(finding.other, device::SourceLine{});
    } else {
        expect_at(finding.other, other);
    }
    return finding;
}

Finding expect_race(const std::string& name, const std::string& at, const std::string& other) {
    const Finding finding = expect_only(run_findings({name}), "unordered_access", at, other);
    EXPECT_EQ(finding.severity, Severity::error);
    return finding;
}

void expect_nothing(const std::vector<std::string>& arguments) {
    const ProgramRun result = run_findings(arguments);
    EXPECT_TRUE(result.trace.findings.empty()) << arguments.front() << ":\n" << result.output;
}

// --- every pair of accesses ---

const std::vector<std::string> on_device{"kernel_reads_device", "kernel_writes_device",     "copy_to_device",
                                         "copy_from_device",    "copy_within_device_reads", "copy_within_device_writes",
                                         "memset_device",       "kernel_adds_to_device"};
const std::vector<std::string> on_host{"kernel_reads_host",    "kernel_writes_host", "copy_from_host",
                                       "copy_to_host",         "memset_host",        "function_reads_host",
                                       "function_writes_host", "host_reads",         "host_writes"};

bool only_reads(const std::string& access) {
    static const std::set<std::string> reads{"kernel_reads_device", "copy_from_device", "copy_within_device_reads",
                                             "kernel_reads_host",   "copy_from_host",   "host_reads",
                                             "function_reads_host"};
    return reads.contains(access);
}

bool is_host(const std::string& access) {
    return access.starts_with("host_");
}

class Pairs : public testing::TestWithParam<std::string> {};

TEST_P(Pairs, without_order_are_found_once_each_with_both_lines) {
    const std::string& first = GetParam();
    const std::vector<std::string>& seconds = first.find("device") != std::string::npos ? on_device : on_host;
    std::set<std::pair<int, int>> expected;  // the later line, the earlier line
    for (const std::string& second : seconds) {
        // What the host did before it issued an operation is always before that operation.
        const bool both_atomic = first == "kernel_adds_to_device" && second == first;
        if (!is_host(first) && !(only_reads(first) && only_reads(second)) && !both_atomic) {
            expected.emplace(program().line(second), program().line(first));
        }
    }
    const ProgramRun result = run_findings({"pairs_without_order", first});
    std::set<std::pair<int, int>> found;
    for (const Finding& finding : result.trace.findings) {
        EXPECT_EQ(finding.kind, "unordered_access");
        EXPECT_EQ(finding.severity, Severity::error);
        EXPECT_TRUE(found.emplace(finding.at.line, finding.other.line).second) << "found twice";
    }
    EXPECT_EQ(found, expected) << result.output;
}

INSTANTIATE_TEST_SUITE_P(OnDevice, Pairs, testing::ValuesIn(on_device), [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(OnHost, Pairs, testing::ValuesIn(on_host), [](const auto& info) { return info.param; });

TEST(LibraryAccesses, too_early_are_found_with_their_lines) {
    const std::vector<std::string> reads{
        "load",      "memcpy_from", "memmove_from", "memcmp",   "memchr",      "copy_from", "copy_n",
        "transform", "accumulate",  "equal",        "vector",   "strcpy_from", "strlen",    "strcmp",
        "strncmp",   "fwrite",      "write",        "ostream_write", "strcat_to"};  // the last looks for the end before it writes there
    const std::vector<std::string> writes{"store",      "update",    "assign",     "atomic_add", "memcpy_to",
                                          "memmove_to", "memset",    "copy_to",    "fill",       "fill_bytes",
                                          "iota",       "strcpy_to", "strncpy_to", "fread",      "read",       "istream_read"};
    std::map<int, std::string> expected{{program().line("end of the texts"), "access.host_writes"},
                                        {program().line("sort"), "access.host_writes"},
                                        {program().line("sort_again"), "access.host_writes"}};
    for (const std::string& how : reads) {
        expected[program().line(how)] = "access.host_reads";
    }
    for (const std::string& how : writes) {
        expected[program().line(how)] = "access.host_writes";
    }
    const ProgramRun result = run_findings({"library_accesses_too_early"});
    std::map<int, std::string> found;
    for (const Finding& finding : result.trace.findings) {
        EXPECT_EQ(finding.kind, "unordered_access");
        expect_at(finding.other, "output of every library access");
        EXPECT_TRUE(finding.at.file.ends_with("findings.cu")) << finding.at.file << " has no code of the program's";
        std::string& what = found[finding.at.line];
        what = what == "access.host_writes" ? what : finding.details.at("second");  // some read what they write
    }
    EXPECT_EQ(found, expected) << result.output;
}

TEST(LibraryAccesses, after_waiting_are_not_found) {
    expect_nothing({"library_accesses_after_waiting"});
}

TEST(UnwrittenMemory, read_by_a_kernel_is_found_by_the_byte) {
    const Finding finding = expect_only(run_findings({"kernel_reads_unwritten"}), "unwritten_memory_read",
                                        "read in a kernel", "launch that reads too much");
    EXPECT_EQ(finding.severity, Severity::warning);
    EXPECT_EQ(finding.details.at("first"), "access.kernel_reads");
    EXPECT_EQ(finding.details.at("bytes"), "64");
    EXPECT_EQ(finding.details.at("range.begin"), std::to_string(4096 - 64));
}

TEST(UnwrittenMemory, read_before_it_is_written_by_the_same_kernel_is_found) {
    const Finding finding = expect_only(run_findings({"sums_not_set_to_zero"}), "unwritten_memory_read",
                                        "sum that nobody set", "launch that adds up");
    EXPECT_EQ(finding.details.at("bytes"), "64");
    expect_nothing({"sums_in_place_of_what_the_kernel_wrote"});
}

TEST(UnwrittenMemory, is_found_at_the_line_that_reads_it) {
    const Finding finding = expect_only(run_findings({"second_half_never_written"}), "unwritten_memory_read",
                                        "half that nobody wrote", "launch that adds halves");
    EXPECT_EQ(finding.details.at("bytes"), "1024");
}

TEST(UnwrittenMemory, read_as_a_structure_is_found_where_no_part_of_it_was_written) {
    const Finding finding = expect_only(run_findings({"structures_never_written"}), "unwritten_memory_read",
                                        "structure copied", "launch that copies structures");
    EXPECT_EQ(finding.details.at("bytes"), "384") << "six of sixteen";
}

TEST(UnwrittenMemory, counted_up_by_a_kernel_is_found) {
    expect_only(run_findings({"counter_not_set_to_zero"}), "unwritten_memory_read", "counter counted up",
                "launch that counts");
    expect_only(run_findings({"allocation_in_stream_order_writes_nothing"}), "unwritten_memory_read",
                "counter counted up", "launch that counts in new memory");
}

TEST(UnwrittenMemory, copied_and_read_by_the_host_is_found_if_nothing_of_it_was_written) {
    const Finding finding = expect_only(run_findings({"copied_result_never_computed"}), "unwritten_memory_copied",
                                        "read of what was never computed", "copy of what was never computed");
    EXPECT_EQ(finding.severity, Severity::warning);
    expect_nothing({"copied_result_computed_in_part"});
}

TEST(UnwrittenMemory, is_not_what_was_written_in_any_way_nor_padding_nor_a_copy_that_nobody_reads) {
    expect_nothing({"memory_written_in_many_ways"});
}

TEST(OrderedPairs, are_not_found) {
    expect_nothing({"pairs_in_order"});
}

TEST(Order, between_streams_comes_from_each_call_that_promises_it) {
    for (const std::string how : {"event", "same_stream", "stream_synchronize", "device_synchronize",
                                  "event_synchronize", "stream_query", "event_query", "legacy_stream", "free"}) {
        expect_nothing({"pair", "kernel_writes_device", "copy_from_device", how});
    }
}

TEST(Order, before_the_host_comes_from_each_call_that_waits_or_looks) {
    for (const std::string how :
         {"stream_synchronize", "device_synchronize", "event_synchronize", "stream_query", "event_query", "free"}) {
        expect_nothing({"pair", "copy_to_host", "host_reads", how});
    }
}

TEST(Order, does_not_come_from_calls_that_promise_none) {
    for (const std::string how : {"nothing", "event", "same_stream", "legacy_stream", "failed_queries"}) {
        const ProgramRun result = run_findings({"pair", "copy_to_host", "host_reads", how});
        expect_only(result, "unordered_access", "host_reads", "copy_to_host");
    }
    for (const std::string how : {"event_recorded_too_early", "event_recorded_where_it_waits", "failed_queries"}) {
        const ProgramRun result = run_findings({"pair", "kernel_writes_device", "copy_from_device", how});
        const Finding finding = expect_only(result, "unordered_access", "copy_from_device", "kernel_writes_device");
        EXPECT_EQ(finding.details.at("order"),
                  how == "failed_queries" ? "order.event_between_streams" : "order." + how);
    }
}

// --- what a missing wait does ---

TEST(Races, an_output_read_before_its_copy_is_done) {
    expect_nothing({"output_waited_for"});
    const Finding finding = expect_race("output_not_waited_for", "output read", "output copied");
    EXPECT_EQ(finding.details.at("bytes"), "4");
    EXPECT_EQ(finding.details.at("range.begin"), "12");
    EXPECT_EQ(finding.details.at("range"), "range.host");
    EXPECT_EQ(finding.details.at("first"), "access.copy_writes");
    EXPECT_EQ(finding.details.at("first.name"), "cudaMemcpyAsync");
    EXPECT_EQ(finding.details.at("first.stream"), "1");
    EXPECT_EQ(finding.details.at("second"), "access.host_reads");
    EXPECT_EQ(finding.details.at("order"), "order.stream_synchronize");
}

TEST(Races, a_kernel_that_does_not_wait_for_its_input) {
    expect_nothing({"input_waited_for"});
    const Finding finding = expect_race("input_not_waited_for", "input used", "input copied");
    EXPECT_EQ(finding.details.at("second"), "access.kernel_reads");
    EXPECT_EQ(finding.details.at("second.name"), "copy");
    EXPECT_EQ(finding.details.at("range"), "range.device");
    EXPECT_EQ(finding.details.at("order"), "order.event_between_streams");
}

TEST(Races, operations_that_ran_the_other_way_round_are_told_in_the_order_of_issue) {
    const Finding finding = expect_race("result_copied_before_the_kernel_began", "copied first", "issued first");
    EXPECT_EQ(finding.details.at("first"), "access.kernel_writes");
    EXPECT_EQ(finding.details.at("second"), "access.copy_reads");
}

TEST(Races, a_result_copied_before_the_kernel_wrote_it) {
    expect_race("result_copied_too_early", "result copied", "result computed");
}

TEST(Races, an_input_overwritten_while_a_kernel_reads_it) {
    expect_race("kernel_input_overwritten", "input overwritten", "input still read");
}

TEST(Races, a_pinned_source_reused_before_its_copy_is_done) {
    expect_nothing({"pinned_source_reused_after_waiting"});
    expect_race("pinned_source_reused_too_early", "source reused", "source copied");
    expect_race("pinned_source_reused_during_its_copy", "source reused in flight", "source in flight");
}

TEST(Races, an_event_recorded_again_or_never) {
    const Finding finding = expect_race("event_recorded_again", "consumed without a wait", "produced after the wait");
    EXPECT_EQ(finding.details.at("order"), "order.event_recorded_too_early");
    EXPECT_EQ(finding.details.at("order.waiting"), "2");
    EXPECT_EQ(finding.details.at("order.awaited"), "1");
    expect_nothing({"events_used_twice"});
    const ProgramRun result = run_findings({"unrecorded_event"});
    ASSERT_EQ(result.trace.findings.size(), 2U) << result.output;
    ASSERT_EQ(result.findings("unordered_access").size(), 1U);
    expect_at(result.findings("unordered_access").front().at, "waits for nothing");
    expect_at(result.findings("unordered_access").front().other, "never recorded after");
    ASSERT_EQ(result.findings("waits_for_nothing").size(), 1U);
    expect_at(result.findings("waits_for_nothing").front().at, "wait for an unrecorded event");
}

std::set<int> lines_of(const std::vector<Finding>& findings) {
    std::set<int> lines;
    for (const Finding& finding : findings) {
        EXPECT_EQ(finding.severity, Severity::warning);
        EXPECT_TRUE(lines.insert(finding.at.line).second) << "found twice";
    }
    return lines;
}

TEST(Events, that_were_not_recorded_are_nothing_to_wait_for) {
    const ProgramRun result = run_findings({"host_waits_for_nothing"});
    const std::vector<Finding> found = result.findings("waits_for_nothing");
    EXPECT_EQ(found.size(), result.trace.findings.size());
    EXPECT_EQ(lines_of(found), (std::set{program().line("host waits for an unrecorded event"),
                                         program().line("recorded after the wait")}));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().details.at("call"), "cudaEventSynchronize");
    expect_nothing({"host_waits_for_the_round_before"});
}

TEST(Events, that_only_order_streams_need_no_timing) {
    const ProgramRun result = run_findings({"timing_events_that_order"});
    EXPECT_EQ(lines_of(result.findings("timing_event_orders")),
              (std::set{program().line("timing event"), program().line("timing events of a loop"),
                        program().line("timing event that is kept")}));
    EXPECT_EQ(result.trace.findings.size(), 4U) << result.output;  // and the event that is kept
    expect_nothing({"events_for_their_purpose"});
}

TEST(Races, the_default_stream_beside_a_non_blocking_one) {
    expect_nothing({"default_stream_orders_blocking_streams"});
    expect_nothing({"default_stream_after_a_destroyed_stream"});
    expect_race("default_stream_and_non_blocking_stream", "in the default stream", "before the default stream");
}

TEST(Races, chunks_are_judged_by_their_bytes) {
    expect_nothing({"chunks_apart"});
    const Finding finding = expect_race("chunks_that_overlap", "chunk used", "chunk in");
    EXPECT_EQ(finding.details.at("bytes"), "4");
    EXPECT_EQ(finding.details.at("range.begin"), std::to_string(4 * (3 * 100'000 - 1)));
    EXPECT_EQ(finding.details.at("range.end"), std::to_string(4 * 3 * 100'000 - 1));
}

TEST(Races, a_read_after_the_last_call) {
    const std::vector<Finding> found = run_findings({"read_after_the_last_call"}).findings("unordered_access");
    ASSERT_EQ(found.size(), 1U);
    expect_at(found.front().at, "last read");
    expect_at(found.front().other, "last copy");
}

TEST(SyncCopies, are_done_when_they_return) {
    expect_nothing({"sync_copies_are_done_when_they_return"});
}

TEST(SyncCopies, and_memsets_on_the_device_have_the_order_of_the_default_stream_alone) {
    expect_nothing({"memset_and_blocking_stream"});
    expect_nothing({"d2d_and_blocking_stream"});
    expect_race("memset_and_non_blocking_stream", "behind the default stream", "memset in the default stream");
    expect_race("d2d_and_non_blocking_stream", "behind the default stream", "d2d in the default stream");
}

TEST(Races, destroying_a_stream_is_no_wait) {
    expect_race("destroying_a_stream_does_not_order", "read after a destroyed stream", "copy of a destroyed stream");
}

TEST(Races, an_allocation_is_no_wait) {
    expect_race("host_allocation_does_not_order", "read after a host allocation", "copy before a host allocation");
    expect_race("allocation_does_not_order", "read after an allocation", "copy before an allocation");
}

TEST(Races, accesses_through_library_functions) {
    const Finding finding = expect_race("host_copies_are_accesses", "memcpy of the output", "copy before memcpy");
    EXPECT_EQ(finding.details.at("bytes"), std::to_string(1 << 20));
    expect_race("host_to_host_copy_is_an_access", "h2h of the output", "copy before h2h");
}

TEST(Races, memset_of_pinned_memory_is_waited_for_unless_async) {
    expect_race("memset_of_pinned_memory", "read of pinned memory", "async memset of pinned memory");
}

TEST(Races, trusted_code_is_named_as_it_asks) {
    const ProgramRun result = run_findings({"trusted_code_reads_too_early"});
    const Finding finding = expect_only(result, "unordered_access", "copy before the check");
    EXPECT_EQ(finding.details.at("second"), "access.check_reads");
    EXPECT_EQ(finding.details.at("second.name"), "host_output");
    const ProgramRun consumed = run_findings({"trusted_function_reads_too_early"});
    EXPECT_EQ(expect_only(consumed, "unordered_access", "copy before the function").details.at("second"),
              "access.function_reads");
}

TEST(Results, come_by_copies_from_the_device) {
    expect_only(run_findings({"results_without_copy"}), "results_without_copy", "result written by the host");
    expect_only(run_findings({"results_never_copied"}), "results_without_copy", "ordinary result written by the host");
}

TEST(Inputs, are_copied_from_where_they_were_given) {
    expect_only(run_findings({"input_written_by_host"}), "input_written_by_host", "copy of what the host wrote");
}

TEST(Pageable, sources_may_be_reused_after_the_call) {
    expect_nothing({"pageable_source_reused"});
}

TEST(Pageable, order_that_is_not_promised_is_a_warning) {
    for (const auto& [name, at, other] :
         {std::tuple("pageable_output_relied_upon", "pageable output read", "pageable output copied"),
          std::tuple("pageable_input_relied_upon", "pageable input used", "pageable input copied"),
          std::tuple("sync_pageable_input_relied_upon", "sync pageable input used", "sync pageable input copied"),
          std::tuple("staged_copy_reads_its_source", "pageable output sent on", "pageable output")}) {
        const Finding finding = expect_only(run_findings({name}), "order_not_promised", at, other);
        EXPECT_EQ(finding.severity, Severity::warning) << name;
    }
    expect_nothing({"pageable_output_waited_for"});
    expect_nothing({"sync_pageable_copy_waits_for_earlier_work"});
}

TEST(Pageable, a_small_copy_that_nobody_waits_for_is_an_error) {
    // In virtual time the copy comes after the kernel that was to use its data; it is told as it was meant.
    expect_race("small_pageable_input_not_waited_for", "small input used", "small input copied");
}

TEST(NoRaces, in_what_the_simulator_itself_does_with_memory) {
    expect_nothing({"host_work_while_the_device_works"});
    expect_nothing({"source_of_two_copies"});
    expect_nothing({"many_overlapping_sources"});
}

// --- memory ---

TEST(Memory, leaks_are_warnings_at_the_lines_that_allocated) {
    const ProgramRun result = run_findings({"leaks"});
    std::map<std::string, std::vector<int>> found;
    for (const Finding& finding : result.trace.findings) {
        EXPECT_EQ(finding.severity, Severity::warning);
        found[finding.kind].push_back(finding.at.line);
    }
    EXPECT_EQ(found["leaked_device_memory"], (std::vector{program().line("leaked device memory")}));
    std::ranges::sort(found["leaked_host_memory"]);
    EXPECT_EQ(found["leaked_host_memory"],
              (std::vector{program().line("leaked host memory"), program().line("leaked registration")}));
    EXPECT_EQ(found["leaked_stream"], (std::vector{program().line("leaked stream")}));
    EXPECT_EQ(found["leaked_event"], (std::vector{program().line("leaked event")}));
    EXPECT_EQ(result.trace.findings.size(), 5U);
    EXPECT_EQ(result.findings("leaked_device_memory").front().details.at("bytes"), "1000");
}

TEST(Memory, use_after_free_is_found_wherever_it_happens) {
    const ProgramRun result = run_findings({"use_after_free"});
    std::set<int> lines;
    for (const Finding& finding : result.trace.findings) {
        EXPECT_EQ(finding.kind, "use_after_free");
        lines.insert(finding.at.line);
    }
    std::set<int> expected;
    for (const std::string marker : {"copy to freed memory", "memset of freed memory", "freed again",
                                     "host memory freed again", "read of freed memory", "write in a kernel"}) {
        expected.insert(program().line(marker));
    }
    EXPECT_EQ(lines, expected);
    EXPECT_EQ(result.trace.findings.size(), expected.size());
}

TEST(Memory, unregistering_what_was_freed_is_found) {
    const ProgramRun result = run_findings({"unregistered_after_free"});
    ASSERT_EQ(result.trace.findings.size(), 1U);
    EXPECT_EQ(result.trace.findings[0].kind, "use_after_free");
    expect_at(result.trace.findings[0].at, "unregistered after free");
}

TEST(Memory, copies_that_do_not_fit_are_refused_and_found) {
    const ProgramRun result = run_findings({"copies_out_of_bounds"});
    const std::vector<Finding> found = result.findings("copy_out_of_bounds");
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(result.trace.findings.size(), 3U);
    expect_at(found[0].at, "too many bytes");
    expect_at(found[1].at, "device too short");
    expect_at(found[2].at, "memset too long");
    EXPECT_EQ(found[0].details.at("bytes"), "1001");
    EXPECT_EQ(found[0].details.at("allocation_bytes"), "1000");
    EXPECT_EQ(result.trace.operations.size(), 1U);  // only the copy that fits
}

TEST(Memory, a_kernel_that_uses_pageable_memory_names_the_launch_too) {
    const Finding finding = expect_only(run_findings({"host_pointer_in_kernel"}), "host_pointer_in_kernel",
                                        "write through a host pointer", "launch with a host pointer");
    EXPECT_EQ(finding.details.at("thread"), "(0, 0, 0)");
    expect_nothing({"host_pointer_not_used_in_kernel"});
}

TEST(Handles, that_were_destroyed_are_named_with_the_call) {
    const ProgramRun result = run_findings({"use_after_destruction"});
    ASSERT_EQ(result.trace.findings.size(), 2U) << result.output;
    EXPECT_EQ(result.trace.findings[0].kind, "use_after_destruction");
    EXPECT_EQ(result.trace.findings[0].details.at("call"), "cudaStreamDestroy");
    expect_at(result.trace.findings[0].at, "stream destroyed again");
    EXPECT_EQ(result.trace.findings[1].kind, "use_after_destruction");
    expect_at(result.trace.findings[1].at, "wait for a destroyed event");
}

TEST(Memory, variables_without_a_gap_are_not_out_of_bounds) {
    expect_nothing({"variables_side_by_side"});
}

TEST(Race, with_structures_that_a_call_in_a_kernel_returns_is_found) {
    expect_race("returned_structures_copied_too_early", "structures copied", "structures computed");
    expect_nothing({"returned_structures_copied_in_order"});
}

TEST(Memory, a_kernel_out_of_bounds_is_found_at_the_line_that_leaves_them) {
    const Finding finding =
        expect_only(run_findings({"neighbour_out_of_bounds"}), "kernel_out_of_bounds", "neighbour beyond");
    EXPECT_EQ(finding.details.at("bytes"), "4");
    EXPECT_EQ(finding.details.at("thread"), "(249, 0, 0)");
}

TEST(Memory, a_kernel_out_of_bounds_names_the_first_thread) {
    const Finding finding = expect_only(run_findings({"kernel_out_of_bounds"}), "kernel_out_of_bounds", "write beyond");
    EXPECT_EQ(finding.details.at("kernel"), "write_beyond");
    EXPECT_EQ(finding.details.at("bytes"), "12");
    EXPECT_EQ(finding.details.at("block"), "(7, 0, 0)");
    EXPECT_EQ(finding.details.at("thread"), "(104, 0, 0)");
}

void expect_beside_shared_memory(const char* program, const char* at, const char* bytes, const char* size,
                                 const char* thread) {
    SCOPED_TRACE(program);
    const Finding finding = expect_only(run_findings({program}), "shared_memory_out_of_bounds", at);
    EXPECT_EQ(finding.details.at("bytes"), bytes);
    EXPECT_EQ(finding.details.at("size"), size);
    EXPECT_EQ(finding.details.at("block"), "(0, 0, 0)");
    EXPECT_EQ(finding.details.at("thread"), thread);
}

TEST(SharedMemory, accesses_beside_it_are_found) {
    const char* const read = "read beside a shared array";
    expect_beside_shared_memory("shared_memory_left_at_its_end", read, "4", "1024", "(255, 0, 0)");
    expect_beside_shared_memory("shared_memory_left_at_its_beginning", read, "4", "1024", "(0, 0, 0)");
    const char* const write = "write beside dynamic shared memory";
    expect_beside_shared_memory("too_little_dynamic_shared_memory", write, "12", "1012", "(253, 0, 0)");
    expect_beside_shared_memory("no_dynamic_shared_memory", write, "1024", "0", "(0, 0, 0)");
}

TEST(SharedMemory, used_to_its_ends_is_right) {
    expect_nothing({"shared_memory_used_to_its_ends"});
}

TEST(Memory, a_wrong_direction_says_what_was_given_and_found) {
    const Finding finding = expect_only(run_findings({"wrong_direction"}), "wrong_copy_direction", "wrong direction");
    EXPECT_EQ(finding.details.at("given"), "cudaMemcpyDeviceToHost");
    EXPECT_EQ(finding.details.at("found"), "cudaMemcpyHostToDevice");
}

TEST(Memory, a_device_pointer_on_the_host_ends_the_program_as_a_real_machine_would_but_says_why) {
    const ProgramRun result = run(program(), {"device_pointer_on_host"});
    EXPECT_EQ(result.exit_status, 128 + SIGSEGV);
    expect_only(result, "device_pointer_on_host", "device pointer on the host");
    EXPECT_EQ(result.trace.operations.size(), 1U);
    EXPECT_NE(result.output.find("before\n"), std::string::npos);
    EXPECT_EQ(result.output.find("never reached"), std::string::npos);
    const std::string message = "host code uses a pointer to device memory";
    const std::size_t first = result.output.find(message);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(result.output.find(message, first + 1), std::string::npos);
}

void expect_fault(const std::string& name, const std::string& where, const char* line) {
    const ProgramRun result = run(program(), {name});
    EXPECT_EQ(result.exit_status, 128 + SIGSEGV);
    const Finding finding = expect_only(result, "kernel_invalid_address", line);
    EXPECT_EQ(finding.details.at("where"), where);
    EXPECT_EQ(result.output.find("never reached"), std::string::npos);
}

TEST(Memory, a_kernel_that_uses_a_null_pointer_or_an_absurd_index_is_named_with_its_line_and_thread) {
    expect_fault("kernel_uses_a_null_pointer", "address.null", "far outside");
    expect_fault("kernel_uses_an_absurd_index", "address.nowhere", "far outside");
    expect_fault("kernel_uses_an_impossible_address", "address.nowhere", "far outside");
    expect_fault("kernel_copies_from_a_null_pointer", "address.null", "copied from nowhere");
    expect_fault("kernel_writes_where_nothing_is_mapped", "address.nowhere", "far outside");
    expect_fault("kernel_uses_a_null_pointer_beside_a_handler", "address.null", "far outside");
    expect_fault("kernel_uses_up_its_stack", "address.stack", "endless recursion");
    expect_fault("kernel_calls_no_function", "address.null", "call of no function");
    const Finding finding = run(program(), {"kernel_uses_a_null_pointer"}).trace.findings.front();
    EXPECT_EQ(finding.details.at("kernel"), "write_far");
    EXPECT_EQ(finding.details.at("block"), "(1, 0, 0)");
    EXPECT_EQ(finding.details.at("thread"), "(2, 0, 0)");
}

TEST(Memory, a_kernel_that_divides_by_zero_is_named_with_its_line) {
    const ProgramRun result = run(program(), {"kernel_divides_by_zero"});
    EXPECT_EQ(result.exit_status, 128 + SIGFPE);
    expect_only(result, "kernel_division_by_zero", "division by zero");
}

TEST(Memory, signals_of_the_program_reach_its_handler_also_after_a_kernel) {
    EXPECT_EQ(run(program(), {"signal_of_the_program_after_a_kernel"}).exit_status, 42);
}

TEST(Memory, a_null_pointer_of_host_code_ends_the_program_as_ever) {
    const ProgramRun result = run(program(), {"host_uses_a_null_pointer"});
    EXPECT_EQ(result.exit_status, 128 + SIGSEGV);
    EXPECT_TRUE(result.trace.findings.empty()) << result.output;
}

// --- errors and the environment ---

TEST(Launches, whose_error_nobody_looks_at_are_found_at_the_end) {
    const std::vector<Finding> found = run_findings({"launch_error_nobody_looked_at"}).findings("unchecked_error");
    ASSERT_EQ(found.size(), 1U);
    expect_at(found.front().at, "launch nobody looked at");
    EXPECT_EQ(found.front().details.at("error"), "cudaErrorInvalidConfiguration");
    EXPECT_TRUE(run_findings({"launch_error_looked_at"}).findings("unchecked_error").empty());
}

TEST(FaultInjection, lets_every_call_fail_once_and_the_program_can_clean_up) {
    // 6 allocations and creations, 1 copy, 1 memset, 1 launch, 2 event calls, 1 copy, 3 synchronizations, 6 to give
    // back.
    EXPECT_EQ(failing_calls(program(), "fails_once"), 21);
}

TEST(Environment, a_profile_that_cannot_be_read_is_one_line_and_exit_2) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "malformed-profile.json";
    for (const std::string text : {"", "{", "{}", "[]", R"({"name": 5})"}) {
        std::FILE* const profile = std::fopen(file.c_str(), "w");
        ASSERT_NE(profile, nullptr);
        std::fputs(text.c_str(), profile);
        std::fclose(profile);
        const ProgramRun result = run(program(), {"leaks"}, {{"COURSE_PROFILE", file.string()}});
        EXPECT_EQ(result.exit_status, 2) << text;
        EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
        EXPECT_NE(result.output.find(file.string()), std::string::npos) << result.output;
        EXPECT_TRUE(result.trace_bytes.empty());
    }
    std::filesystem::remove(file);
    EXPECT_EQ(run(program(), {"leaks"}, {{"COURSE_PROFILE", "/no/such/profile.json"}}).exit_status, 2);
}

TEST(Environment, quiet_programs_keep_their_findings_for_the_trace) {
    const ProgramRun result = run(program(), {"output_not_waited_for"}, {{"COURSE_QUIET", "1"}});
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.trace.findings.size(), 1U);
}

TEST(Environment, findings_do_not_depend_on_the_profile) {
    for (const std::string name : {"output_not_waited_for", "input_not_waited_for", "chunks_that_overlap", "leaks"}) {
        const Environment environment{{"COURSE_PROFILE", profile_file("one-copy-engine")}};
        EXPECT_EQ(run_findings({name}, environment).trace.findings, run_findings({name}).trace.findings) << name;
    }
}

TEST(Environment, the_same_program_leaves_the_same_trace_findings_included) {
    for (const std::string name : {"output_not_waited_for", "chunks_that_overlap", "leaks", "use_after_free"}) {
        EXPECT_EQ(run_findings({name}).trace_bytes, run_findings({name}).trace_bytes) << name;
    }
    EXPECT_EQ(run_findings({"pairs_without_order", "copy_to_device"}).trace_bytes,
              run_findings({"pairs_without_order", "copy_to_device"}).trace_bytes);
}

}  // namespace
}  // namespace simulator
