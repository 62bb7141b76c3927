#include "course/report.hpp"

#include <gtest/gtest.h>

#include "checks/causes.hpp"

namespace {

using checks::CheckResult;
using checks::Results;
using checks::Verdict;

CheckResult check(const std::string& id, Verdict verdict, double points, const std::string& cause = "") {
    CheckResult result;
    result.id = id;
    result.verdict = verdict;
    result.points = points;
    result.max_points = 2;
    result.cause = cause;
    return result;
}

CheckResult failed_overlap() {
    CheckResult failed = check("overlap", Verdict::fail, 0, checks::cause::one_stream);
    failed.arguments = {{"operations", "48"}};
    return failed;
}

Results results_of(std::vector<CheckResult> checks) {
    Results results;
    results.lab = "03_streams";
    results.device = "NVIDIA H200 (simulated)";
    results.simulated = true;
    results.profile = "h200-pcie5";
    results.seed = 7;
    results.checks = std::move(checks);
    checks::add_up(results);
    return results;
}

course::ReportContext context() { return {course::Console{false, 80}, "lab.cu", "./course check streams --seed 7"}; }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Report, SaysThatASimulatedDeviceIsSimulated) {
    const std::string header = course::render_header(results_of({}), context());
    EXPECT_TRUE(contains(header, "simulated")) << header;
    EXPECT_TRUE(contains(header, "h200-pcie5")) << header;
    Results on_gpu = results_of({});
    on_gpu.simulated = false;
    on_gpu.device = "NVIDIA H200";
    EXPECT_FALSE(contains(course::render_header(on_gpu, context()), "simulated"));
}

TEST(Report, GivesAFailedCheckItsLineAndTheCommandToRerun) {
    CheckResult failed = failed_overlap();
    failed.source = {"/elsewhere/lab.cu", 61};
    const std::string text = course::render_checks(results_of({failed}), context());
    EXPECT_TRUE(contains(text, "✗")) << text;
    EXPECT_TRUE(contains(text, "/elsewhere/lab.cu:61")) << text;
    EXPECT_TRUE(contains(text, "./course check streams --seed 7")) << text;
}

TEST(Report, ShowsWhatTheProgramPrintedAsTextAndInItsColumn) {
    CheckResult failed = failed_overlap();
    failed.arguments["output"] = "\033[2J\r✓ 100\nPassed\n";
    const std::string text = course::render_checks(results_of({failed}), context());
    EXPECT_TRUE(contains(text, "[2J✓ 100\n              Passed\n    ")) << text;
    EXPECT_FALSE(contains(text, "\033")) << text;
}

TEST(Report, MarksEachVerdictDifferently) {
    const std::string text = course::render_checks(
        results_of({check("a", Verdict::pass, 2), check("b", Verdict::skip, 0), check("c", Verdict::inconclusive, 0)}),
        context());
    EXPECT_TRUE(contains(text, "✓ 2/2  a")) << text;
    EXPECT_TRUE(contains(text, "– 0/2  b")) << text;
    EXPECT_TRUE(contains(text, "? 0/2  c")) << text;
}

TEST(Report, FitsTheTerminal) {
    const std::string text = course::render_checks(results_of({failed_overlap()}), context());
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
        EXPECT_LE(end - start, 84U) << text.substr(start, end - start);  // bytes: the marks take three for one column
        start = end + 1;
    }
}

TEST(Report, WritesTheSpeedLineWithItsBar) {
    Results results = results_of({check("speed", Verdict::pass, 2)});
    results.speed = checks::SpeedResult{};
    results.speed->speedup = 2.381;
    results.speed->required = 1.86;
    results.speed->attainable = 2.61;
    const std::string text = course::render_total(results, context());
    EXPECT_TRUE(contains(text, "2.38× simulated; required here 1.86×, attainable here 2.61×")) << text;
    EXPECT_TRUE(contains(text, "2 of 2 points")) << text;
}

TEST(Report, SaysWhatEarnsTheRestOfThePoints) {
    Results results = results_of({check("speed", Verdict::pass, 1.5)});
    results.speed = checks::SpeedResult{};
    results.speed->full = 2.346;
    EXPECT_TRUE(contains(course::render_checks(results, context()),
                         "next      full points from 2.35x on; `./course hint streams` says how"));
    results.checks.front().points = 2;
    EXPECT_FALSE(contains(course::render_checks(results, context()), "full points"));
}

TEST(Report, CountsWhatFailedAndWhatWasNotJudged) {
    const std::string text = course::render_total(
        results_of({check("a", Verdict::pass, 2), check("b", Verdict::fail, 0), check("c", Verdict::skip, 0),
                    check("d", Verdict::inconclusive, 0)}),
        context());
    EXPECT_TRUE(contains(text, "1 of 4 checks failed, 2 not judged")) << text;
}

TEST(Report, TellsFailedFromInconclusive) {
    const auto pass = check("a", Verdict::pass, 2);
    const auto unclear = check("b", Verdict::inconclusive, 0);
    const auto failed = check("c", Verdict::fail, 0);
    EXPECT_EQ(course::exit_status_of(results_of({pass})), 0);
    EXPECT_EQ(course::exit_status_of(results_of({pass, unclear})), 2);
    EXPECT_EQ(course::exit_status_of(results_of({pass, unclear, failed})), 1);
}

}  // namespace
