#include "checks/timing.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "checks/causes.hpp"
#include "checks/paired_runs.hpp"

namespace {

using namespace checks;
using std::chrono::nanoseconds;

constexpr double bar = 0.60;
const TimingRules rules;

Decision decide_on(const std::vector<double>& shares, bool more_time = true) {
    return decide(shares, bar, rules, more_time);
}

TEST(Timing, five_clear_pairs_pass) {
    EXPECT_EQ(decide_on({0.80, 0.82, 0.81, 0.79, 0.80}), Decision::pass);
}

TEST(Timing, five_clear_pairs_fail) {
    EXPECT_EQ(decide_on({0.20, 0.22, 0.21, 0.19, 0.20}), Decision::fail);
}

TEST(Timing, fewer_than_five_pairs_say_nothing) {
    EXPECT_EQ(decide_on({0.90, 0.90, 0.90, 0.90}), Decision::measure_on);
}

TEST(Timing, an_interval_around_the_bar_is_measured_on) {
    EXPECT_EQ(decide_on({0.50, 0.70, 0.55, 0.65, 0.61}), Decision::measure_on);
}

TEST(Timing, without_more_time_it_is_inconclusive) {
    EXPECT_EQ(decide_on({0.50, 0.70, 0.55, 0.65, 0.61}, false), Decision::inconclusive);
}

TEST(Timing, noise_up_to_the_limit_is_inconclusive) {
    std::vector<double> shares;
    for (int i = 0; i < 31; ++i) {
        shares.push_back(i % 2 == 0 ? 0.30 : 0.90);
    }
    EXPECT_EQ(decide_on(shares), Decision::inconclusive);
}

TEST(Timing, more_pairs_overrule_outliers) {
    std::vector<double> shares{0.10, 0.80, 0.81, 0.80, 0.82};
    EXPECT_EQ(decide_on(shares), Decision::measure_on);
    for (int i = 0; i < 4; ++i) {
        shares.push_back(0.80);
    }
    EXPECT_EQ(decide_on(shares), Decision::pass);
}

TEST(Timing, an_outlier_upwards_does_not_help) {
    EXPECT_EQ(decide_on({0.99, 0.20, 0.21, 0.20, 0.22, 0.20, 0.20, 0.20, 0.20}), Decision::fail);
}

TEST(Timing, virtual_time_needs_one_pair) {
    TimingRules deterministic;
    deterministic.deterministic = true;
    EXPECT_EQ(decide(std::vector{0.60}, bar, deterministic), Decision::pass);
    EXPECT_EQ(decide(std::vector{0.59}, bar, deterministic), Decision::fail);
}

TEST(Timing, the_interval_narrows_as_order_statistics_allow) {
    // Binomial(9, 1/2): 2 P(X < 2) = 0.039, 2 P(X < 3) = 0.18: the second smallest and the second largest.
    const Estimate estimate = estimate_median(std::vector<double>{9, 1, 8, 2, 7, 3, 6, 4, 5});
    EXPECT_DOUBLE_EQ(estimate.median, 5);
    EXPECT_DOUBLE_EQ(estimate.low, 2);
    EXPECT_DOUBLE_EQ(estimate.high, 8);
}

TEST(Timing, no_shares_are_refused) {
    EXPECT_THROW(estimate_median({}), std::invalid_argument);
}

TEST(Points, are_half_at_the_bar_and_all_at_full) {
    EXPECT_DOUBLE_EQ(points_for_share(0.59, 0.60, 0.85, 10), 0);
    EXPECT_DOUBLE_EQ(points_for_share(0.60, 0.60, 0.85, 10), 5);
    EXPECT_DOUBLE_EQ(points_for_share(0.725, 0.60, 0.85, 10), 7.5);
    EXPECT_DOUBLE_EQ(points_for_share(0.85, 0.60, 0.85, 10), 10);
    EXPECT_DOUBLE_EQ(points_for_share(1.20, 0.60, 0.85, 10), 10);
}

protocol::Measurement measured(unsigned copy_engines) {
    protocol::Measurement measurement;
    measurement.h2d_alone_ns = 90;
    measurement.d2h_alone_ns = 90;
    measurement.h2d_both_ns = 100;
    measurement.d2h_both_ns = 110;
    measurement.kernel_ns = 95;
    measurement.copy_engines = copy_engines;
    return measurement;
}

TEST(Speed, the_bound_takes_the_times_with_both_directions_busy) {
    const Problem problem{40, 4, 1};  // ten chunks
    EXPECT_DOUBLE_EQ(attainable_time(problem, measured(2)).count(), (100 + 95 + 110) + 9 * 110);
}

TEST(Speed, one_copy_engine_never_has_both_directions_busy) {
    const Problem problem{40, 4, 1};
    EXPECT_DOUBLE_EQ(attainable_time(problem, measured(1)).count(), 10 * (90 + 90));
}

TEST(Speed, a_share_and_its_speedups) {
    SpeedRule rule;
    rule.timing.deterministic = true;
    const SpeedJudgement speed = judge_speed({nanoseconds(1600)}, {nanoseconds(3000)}, device::Time(1000), rule, false);
    EXPECT_EQ(speed.decision, Decision::pass);
    EXPECT_DOUBLE_EQ(speed.result.share, 0.7);
    EXPECT_DOUBLE_EQ(speed.result.speedup, 3000.0 / 1600.0);
    EXPECT_DOUBLE_EQ(speed.result.required, 3000.0 / 1800.0);
    EXPECT_DOUBLE_EQ(speed.result.attainable, 3.0);
    EXPECT_EQ(speed.result.pairs, 1u);
}

TEST(Speed, pairs_cancel_a_drift_that_hits_both) {
    SpeedRule rule;
    std::vector<nanoseconds> times, serial_times;
    for (int i = 0; i < 5; ++i) {
        times.push_back(nanoseconds(1400 + 50 * i));
        serial_times.push_back(nanoseconds(3000 + 100 * i));
    }
    EXPECT_EQ(judge_speed(times, serial_times, device::Time(1000), rule, true).decision, Decision::pass);
}

// The copies of the second pair took twice as long, in both programs: what was hidden is the same.
TEST(Speed, what_can_be_hidden_is_judged_beside_the_serial_time_of_its_pair) {
    const std::vector<nanoseconds> times{nanoseconds(2100), nanoseconds(3100)};
    const std::vector<nanoseconds> serial_times{nanoseconds(3000), nanoseconds(4000)};
    const SpeedRule rule{.required_share = 0.85, .timing = {.minimum_pairs = 2, .deterministic = true}};
    const SpeedJudgement speed =
        judge_speed(times, serial_times, Attainable::serial_less(device::Time(1000)), rule, false);
    EXPECT_EQ(speed.decision, Decision::pass);
    EXPECT_DOUBLE_EQ(speed.result.share, 0.9);
    EXPECT_EQ(speed.result.bound_time_ns, speed.result.serial_time_ns - 1000);
}

SpeedRule nine_tenths_of_the_throughput() {
    return {.required_share = 0.90, .full_share = 0.95, .share_of = ShareOf::throughput};
}

TEST(Speed, a_share_of_the_throughput_and_its_speedups) {
    SpeedRule rule = nine_tenths_of_the_throughput();
    rule.timing.deterministic = true;
    const SpeedJudgement speed = judge_speed({nanoseconds(1250)}, {nanoseconds(3000)}, device::Time(1000), rule, false);
    EXPECT_EQ(speed.decision, Decision::fail);
    EXPECT_DOUBLE_EQ(speed.result.share, 0.8);
    EXPECT_DOUBLE_EQ(speed.result.required, 0.9 * 3.0);
    EXPECT_DOUBLE_EQ(speed.result.full, 0.95 * 3.0);
    EXPECT_DOUBLE_EQ(speed.result.attainable, 3.0);
    EXPECT_EQ(judge_speed({nanoseconds(1111)}, {nanoseconds(3000)}, device::Time(1000), rule, false).decision,
              Decision::pass);
}

TEST(Speed, a_share_of_the_throughput_needs_more_than_one_noisy_pair) {
    const SpeedRule rule = nine_tenths_of_the_throughput();
    std::vector<nanoseconds> times(5, nanoseconds(1050));
    const std::vector<nanoseconds> serial_times(5, nanoseconds(3000));
    EXPECT_EQ(judge_speed(times, serial_times, device::Time(1000), rule, true).decision, Decision::pass);
    times[0] = nanoseconds(1200);
    EXPECT_EQ(judge_speed(times, serial_times, device::Time(1000), rule, true).decision, Decision::measure_on);
    EXPECT_EQ(judge_speed(times, serial_times, device::Time(1000), rule, false).decision, Decision::inconclusive);
    EXPECT_STREQ(inconclusive_cause(rule), cause::throughput_inconclusive);
    EXPECT_STREQ(inconclusive_cause(SpeedRule{}), cause::speed_inconclusive);
}

}  // namespace
