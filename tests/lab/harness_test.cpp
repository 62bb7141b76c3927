// The harness in every lab program, on the simulated device: what it carries, charges, limits and refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "checks/causes.hpp"
#include "checks/failure.hpp"
#include "checks/session.hpp"
#include "timeline/facts.hpp"

namespace {

using checks::Problem;
using checks::Solved;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

// 5 chunks, the last one shorter, with a budget that two chunks just fit.
constexpr std::size_t chunk = 4096;
constexpr Problem problem{.elements = 4 * chunk + 100,
                          .chunk_elements = chunk,
                          .rounds = 10,
                          .host_work = microseconds(30),
                          .host_copy = microseconds(20),
                          .device_bytes = 2 * chunk * sizeof(checks::Element)};

Solved solve(const char* mode) {
    ::setenv("PRODUCER_LAB", mode, 1);
    checks::Options options;
    options.program = PRODUCER_PROGRAM;
    options.baseline = PRODUCER_PROGRAM;
    options.seed = 3;
    checks::Session session(options);
    return session.solve(options.program,
                         {.problem = problem, .cycles = 2, .traced = checks::Traced::yes, .measure_stages = true});
}

std::string cause_of(const char* mode) {
    try {
        const Solved solved = solve(mode);
        return solved.wrong ? solved.wrong->cause : "";
    } catch (const checks::CheckFailed& failed) {
        return failed.failure().cause;
    }
}

nanoseconds time_in(const device::Trace& trace, const std::string& range) {
    return std::accumulate(trace.ranges.begin(), trace.ranges.end(), nanoseconds(0),
                           [&](nanoseconds sum, const device::Range& each) {
                               return each.name == range ? sum + (each.end - each.start) : sum;
                           });
}

TEST(Harness, LetsTimePassBetweenTheFunctionsOfALab) {
    const device::Trace trace = *solve("").trace;
    ASSERT_FALSE(trace.host_calls.empty());
    for (const device::HostCall& call : trace.host_calls) {
        const auto within = std::count_if(trace.ranges.begin(), trace.ranges.end(), [&](const device::Range& range) {
            const bool of_the_lab = range.name == "allocate" || range.name == "run" || range.name == "release";
            return of_the_lab && range.start <= call.start && call.start <= range.end;
        });
        EXPECT_LE(within, 1) << call.name << " at " << call.start.count();
    }
}

TEST(Harness, CarriesDataThroughProducerAndConsumer) {
    EXPECT_FALSE(solve("").wrong);
    EXPECT_EQ(cause_of("forgets_last"), checks::cause::last_chunk_missing);
}

TEST(Harness, ChargesProducerAndConsumerByTheirElements) {
    const Solved solved = solve("");
    const double cycles = 2;
    const double chunks = static_cast<double>(problem.elements) / chunk;
    const double expected_ns = cycles * chunks * static_cast<double>(nanoseconds(problem.host_copy).count());
    EXPECT_NEAR(static_cast<double>(time_in(*solved.trace, "produce").count()), expected_ns, 0.01 * expected_ns);
    EXPECT_NEAR(static_cast<double>(time_in(*solved.trace, "consume").count()), expected_ns, 0.01 * expected_ns);
}

// A piece that takes less than a nanosecond must not be free, or a chunk in many pieces would be.
TEST(Harness, ChargesManyTinyPiecesForNoLessThanAChunk) {
    EXPECT_GE(time_in(*solve("one_by_one").trace, "produce"), time_in(*solve("").trace, "produce"));
}

TEST(Harness, CountsHostWorkOfTheLastRun) {
    EXPECT_EQ(solve("").host_work, nanoseconds(0));
    EXPECT_EQ(solve("host_work").host_work, problem.host_work);
}

TEST(Harness, CarriesWhatTheProgramReports) {
    const Solved solved = solve("");
    EXPECT_EQ(solved.reported_ms, 12.5F);
    EXPECT_EQ(solved.stages.kernel, 2);
}

TEST(Harness, RefusesElementsOutsideTheData) {
    EXPECT_EQ(cause_of("outside"), checks::cause::refused);
}

TEST(Harness, LimitsDeviceMemory) {
    EXPECT_EQ(cause_of("all_of_it"), checks::cause::over_memory_budget);
}

}  // namespace
