// Whether a share of the attainable gain lies above a bar, from pairs of runs (the student's and the serial version's).
#pragma once

#include <cstddef>
#include <span>

namespace checks {

// The median of the shares, and an interval that holds the true median with at least 93 % confidence (order
// statistics: no assumption about the noise). With one sample, all three are that sample.
struct Estimate {
    double median = 0;
    double low = 0;
    double high = 0;
};

struct TimingRules {
    std::size_t minimum_pairs = 5;
    std::size_t maximum_pairs = 31;
    bool deterministic = false;  // virtual time: one pair says everything
};

enum class Decision { pass, fail, measure_on, inconclusive };

// Throws std::invalid_argument when there are no shares.
Estimate estimate_median(std::span<const double> shares);

// pass: the whole interval is at or above the bar; fail: all of it is below. `more_time`: whether another pair may
// still be measured; without it the answer is inconclusive where it would have been measure_on.
Decision decide(std::span<const double> shares, double bar, const TimingRules& rules, bool more_time = true);

// Points for a share: 0 below `bar`, half of `maximum` at it, all of it from `full` on, linear in between.
double points_for_share(double share, double bar, double full, double maximum);

}  // namespace checks
