#include "checks/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "checks/causes.hpp"
#include "checks/failure.hpp"
#include "checks/fault_injection.hpp"
#include "programs.hpp"

namespace {

using namespace checks;
using testing_programs::impatient;
using testing_programs::options_for;

constexpr Problem problem{1000, 128, 37};

Solved solve(const std::string& mode, int cycles = 1, int runs = 1) {
    Session session(options_for(mode));
    return session.solve(session.options().program, {problem, cycles, runs, Traced::yes});
}

std::string wrong_of(const std::string& mode, int cycles = 1, int runs = 1) {
    const Solved solved = solve(mode, cycles, runs);
    return solved.wrong ? solved.wrong->cause : "";
}

TEST(Session, a_right_program_solves_every_run_and_leaves_a_trace) {
    const Solved solved = solve("", 2, 3);
    EXPECT_FALSE(solved.wrong);
    EXPECT_EQ(solved.elapsed, std::chrono::nanoseconds(1000));  // virtual: what the program's clock says
    ASSERT_TRUE(solved.trace);
    EXPECT_EQ(solved.trace->ranges.size(), 1u);
}

TEST(Session, a_warm_up_is_one_more_run) {
    Session session(options_for("stale"));
    const Solved solved =
        session.solve(session.options().program, {.problem = problem, .traced = Traced::yes, .warm_up = true});
    ASSERT_TRUE(solved.wrong);  // this program is right in its first run alone
    EXPECT_EQ(solved.wrong->cause, cause::stale_values);
}

TEST(Session, the_reply_and_the_trace_tell_one_time) {
    try {
        solve("wrong_clock");
        FAIL() << "accepted a run() of 10 ns that took 1000 ns in the trace";
    } catch (const CheckFailed& failed) {
        EXPECT_EQ(failed.failure().cause, cause::forged_reply);
    }
}

TEST(Session, wrong_values_are_named_by_their_pattern) {
    EXPECT_EQ(wrong_of("never_written"), cause::never_written);
    EXPECT_EQ(wrong_of("partly_unwritten"), cause::partly_unwritten);
    EXPECT_EQ(wrong_of("last_chunk"), cause::last_chunk_missing);
    EXPECT_EQ(wrong_of("copies"), cause::output_is_input);
    EXPECT_EQ(wrong_of("offset"), cause::wrong_offset);
    EXPECT_EQ(wrong_of("wrong"), cause::wrong_values);
}

TEST(Session, stale_results_show_in_the_second_run) {
    EXPECT_EQ(wrong_of("stale", 1, 1), "");
    EXPECT_EQ(wrong_of("stale", 1, 2), cause::stale_values);
    EXPECT_EQ(wrong_of("stale", 2, 1), cause::stale_values);
}

TEST(Session, inputs_change_with_every_run_and_come_back_with_the_seed) {
    Session first(options_for(""));
    Session second(options_for(""));
    first.reserve(problem);
    second.reserve(problem);
    const std::uint64_t seed = first.fresh_inputs(problem);
    EXPECT_NE(seed, first.fresh_inputs(problem));
    EXPECT_EQ(seed, second.fresh_inputs(problem));
}

TEST(Session, after_a_hang_the_limits_are_short) {
    Options options = options_for("hang", impatient);
    Session session(options);
    EXPECT_THROW(session.solve(options.program, {problem, 1, 1, Traced::no}), CheckFailed);
    EXPECT_THROW(session.solve(options.program, {problem, 1, 1, Traced::no}), CheckFailed);
}

TEST(Session, findings_are_kept_once) {
    Session session(options_for(""));
    device::Trace trace;
    trace.findings.push_back({"leaked_stream", device::Severity::error, {"lab.cu", 7}, {}, {}});
    session.add_findings(trace);
    session.add_findings(trace);
    EXPECT_EQ(session.findings().size(), 1u);
}

TEST(Session, the_seed_of_a_program_is_that_of_its_bytes) {
    EXPECT_EQ(seed_of(FAKE_LAB_PROGRAM), seed_of(FAKE_LAB_PROGRAM));
    EXPECT_THROW(seed_of("/nowhere/lab"), CannotCheck);
}

TEST(Session, a_baseline_that_crashes_is_not_the_students_fault) {
    Options options = options_for("");
    options.baseline = "/nowhere/baseline";
    Session session(options);
    EXPECT_THROW(session.measurement(128), CannotCheck);
}

TEST(Session, what_the_program_says_of_itself_is_kept) {
    Session session(options_for(""));
    Problem with_host_work = problem;
    with_host_work.host_work = std::chrono::nanoseconds(7);
    const Solved solved =
        session.solve(session.options().program, {.problem = with_host_work, .measure_stages = true});
    EXPECT_EQ(solved.host_work, std::chrono::nanoseconds(7));
    EXPECT_EQ(solved.reported_ms, 0.25F);
    EXPECT_EQ(solved.stages.h2d, 1.5F);
    EXPECT_EQ(solved.stages.kernel, 2.5F);
    EXPECT_EQ(solved.stages.d2h, 3.5F);
}

TEST(Session, an_allocation_over_the_budget_is_named) {
    Session session(options_for("over_budget"));
    Problem limited = problem;
    limited.device_bytes = 1024;
    try {
        session.solve(session.options().program, {.problem = limited});
        FAIL() << "accepted an allocation of 4096 bytes where 1024 are allowed";
    } catch (const CheckFailed& failed) {
        EXPECT_EQ(failed.failure().cause, cause::over_memory_budget);
        EXPECT_EQ(failed.failure().arguments.at("wanted"), "4096");
        EXPECT_EQ(failed.failure().arguments.at("budget"), "1024");
    }
}

TEST(Session, one_process_serves_all_problems_on_a_gpu) {
    Options options = options_for("");
    options.simulated = false;
    Session session(options);
    const auto process = session.process_for(options.program);
    EXPECT_EQ(session.process_for(options.program), process);
    EXPECT_FALSE(session.solve(options.program, {.problem = problem, .cycles = 2}).wrong);
    EXPECT_EQ(session.process_for(options.program), process);
}

TEST(Session, after_a_failure_a_new_process_serves) {
    Options options = options_for("crash");
    options.simulated = false;
    Session session(options);
    const auto process = session.process_for(options.program);
    EXPECT_THROW(session.solve(options.program, {.problem = problem}), CheckFailed);
    EXPECT_NE(session.process_for(options.program), process);
}

TEST(Session, every_problem_has_its_own_process_on_a_simulated_device) {
    Session session(options_for(""));
    EXPECT_NE(session.process_for(session.options().program), session.process_for(session.options().program));
}

// Also when no run of the program comes to an end.
TEST(Session, the_results_name_the_profile_from_the_beginning) {
    Options options = options_for("crash");
    options.profile = std::string(PROFILE_DIRECTORY) + "/h200-pcie5.json";
    EXPECT_EQ(Session(options).results().profile, "h200-pcie5");
}

TEST(Session, other_simulated_devices_are_given_programs_built_for_them) {
    Options options = options_for("");
    EXPECT_EQ(Session(options).options_for("slow.json")->program, options.program);
    EXPECT_EQ(Session(options).options_for("slow.json")->profile, "slow.json");
    options.simulated = false;
    EXPECT_FALSE(Session(options).options_for("slow.json"));
    options.ordering_program = "program_for_sim";
    options.ordering_baseline = "baseline_for_sim";
    const auto other = Session(options).options_for("slow.json");
    ASSERT_TRUE(other);
    EXPECT_TRUE(other->simulated);
    EXPECT_EQ(other->program, "program_for_sim");
    EXPECT_EQ(other->baseline, "baseline_for_sim");
}

Failure errors_of(const std::string& mode, Limits limits = testing_programs::patient) {
    Session session(options_for(mode, limits));
    return judge_error_handling(session, session.options().program, problem).value_or(Failure{});
}

TEST(ErrorHandling, a_program_that_reports_and_cleans_up_passes) {
    EXPECT_EQ(errors_of("").cause, "");
}

TEST(ErrorHandling, all_of_a_few_hundred_calls_fail_once) {
    for (const std::uint64_t calls : {0u, 1u, 576u}) {
        const std::vector<std::uint64_t> failing = calls_to_fail(calls);
        ASSERT_EQ(failing.size(), calls);
        EXPECT_TRUE(calls == 0 || (failing.front() == 1 && failing.back() == calls));
    }
}

TEST(ErrorHandling, of_many_calls_the_first_the_last_and_some_between_fail) {
    for (const std::uint64_t calls : {577u, 1530u, 100'000u}) {
        const std::vector<std::uint64_t> failing = calls_to_fail(calls);
        EXPECT_EQ(std::set<std::uint64_t>(failing.begin(), failing.end()).size(), 576u) << "each once";
        EXPECT_TRUE(std::is_sorted(failing.begin(), failing.end()));
        EXPECT_EQ(failing[255], 256u);
        EXPECT_EQ(failing[failing.size() - 256], calls - 255);
        EXPECT_EQ(failing.back(), calls);
    }
    const std::vector<std::uint64_t> failing = calls_to_fail(100'000);
    std::set<std::uint64_t> of_three;
    for (std::size_t i = 256; i < 320; ++i) {
        of_three.insert(failing[i] % 3);
    }
    EXPECT_EQ(of_three.size(), 3u) << "a loop of copy, launch, copy has each of them fail";
}

// A program that measures many choices makes thousands of calls, each of which fails once: no process is asked for all.
TEST(ErrorHandling, many_calls_are_spread_over_several_processes) {
    EXPECT_EQ(errors_of("many_calls").cause, "");
}

TEST(ErrorHandling, an_error_that_no_call_was_made_to_return_is_named) {
    try {
        errors_of("error");
        FAIL() << "expected CheckFailed";
    } catch (const CheckFailed& failed) {
        EXPECT_EQ(failed.failure().cause, cause::returned_error);
        EXPECT_EQ(failed.failure().arguments.at("error"), "cudaErrorMemoryAllocation");
        EXPECT_EQ(failed.failure().arguments.at("during"), "run");
    }
}

TEST(ErrorHandling, an_ignored_error_is_counted) {
    const Failure failure = errors_of("ignores_errors");
    EXPECT_EQ(failure.cause, cause::error_ignored);
    EXPECT_EQ(failure.arguments.at("n"), "4");
    EXPECT_EQ(failure.arguments.at("calls"), "6");
    EXPECT_EQ(failure.arguments.at("call"), "cudaMemcpyAsync");
    EXPECT_EQ(failure.source.line, 104);
}

TEST(ErrorHandling, a_crash_after_an_error_has_its_own_cause) {
    const Failure failure = errors_of("crashes_after_error");
    EXPECT_EQ(failure.cause, cause::crashed_after_error);
    EXPECT_EQ(failure.arguments.at("n"), "1");
    EXPECT_EQ(failure.arguments.at("signal"), "SIGABRT");
}

TEST(ErrorHandling, a_hang_after_an_error_has_its_own_cause) {
    EXPECT_EQ(errors_of("hangs_after_error", impatient).cause, cause::never_returned_after_error);
}

TEST(ErrorHandling, a_leak_after_an_error_names_the_call) {
    const Failure failure = errors_of("leaks_after_error");
    EXPECT_EQ(failure.cause, cause::leaked_after_error);
    EXPECT_EQ(failure.arguments.at("n"), "1");
    EXPECT_EQ(failure.arguments.at("call"), "cudaMemcpyAsync");
    EXPECT_EQ(failure.source.line, 7);
}

}  // namespace
