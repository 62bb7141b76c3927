#include "checks/timing.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace checks {
namespace {

constexpr double confidence = 0.93;  // what five pairs can reach: 1 - 2 * (1/2)^5 = 0.9375

// How many of the smallest and of the largest of n samples lie outside the interval: the most that keeps the confidence
// that the true median is inside, 1 - 2 P(Binomial(n, 1/2) < k).
std::size_t samples_outside(std::size_t n) {
    double term = std::pow(0.5, static_cast<double>(n));  // P(Binomial = 0)
    double below = 0;
    std::size_t k = 0;
    for (; 2 * (k + 1) <= n; ++k) {
        below += term;
        if (1 - 2 * below < confidence) {
            break;
        }
        term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    return k == 0 ? 0 : k - 1;
}

}  // namespace

Estimate estimate_median(std::span<const double> shares) {
    if (shares.empty()) {
        throw std::invalid_argument("estimate_median: expected at least one share, found none");
    }
    std::vector<double> sorted(shares.begin(), shares.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = sorted.size();
    const double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    const std::size_t outside = samples_outside(n);
    return {median, sorted[outside], sorted[n - 1 - outside]};
}

Decision decide(std::span<const double> shares, double bar, const TimingRules& rules, bool more_time) {
    if (rules.deterministic) {
        return estimate_median(shares).median >= bar ? Decision::pass : Decision::fail;
    }
    if (shares.size() >= rules.minimum_pairs) {
        const Estimate estimate = estimate_median(shares);
        if (estimate.low >= bar) {
            return Decision::pass;
        }
        if (estimate.high < bar) {
            return Decision::fail;
        }
    }
    return more_time && shares.size() < rules.maximum_pairs ? Decision::measure_on : Decision::inconclusive;
}

double points_for_share(double share, double bar, double full, double maximum) {
    if (share < bar) {
        return 0;
    }
    if (share >= full) {
        return maximum;
    }
    return maximum * (0.5 + 0.5 * (share - bar) / (full - bar));
}

}  // namespace checks
