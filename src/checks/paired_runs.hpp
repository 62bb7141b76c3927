// Runs of the student's program and of the baseline in turn, until the share of the attainable gain is known.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "checks/session.hpp"
#include "checks/timing.hpp"
#include "device/pipeline_bounds.hpp"

namespace checks {

// What the shares of a rule are shares of: the gain that is attainable over the serial version, or the attainable
// throughput (the bound's time as a share of the measured one).
enum class ShareOf { gain, throughput };

struct SpeedRule {
    double required_share = 0.60;
    double full_share = 0.85;
    ShareOf share_of = ShareOf::gain;
    TimingRules timing{};
    std::chrono::seconds time_cap{60};
};

// The time that nothing can beat: known by itself, or as the serial version's time less what can be hidden behind other
// work. The second holds however long the rest takes in this pair of runs (copies of pageable memory, say).
class Attainable {
public:
    Attainable(device::Time time) : time_(time) {}
    static Attainable serial_less(device::Time hidden) {
        Attainable result{device::Time{}};
        result.hidden_ = hidden;
        return result;
    }

    device::Time beside(std::chrono::nanoseconds serial) const {
        return hidden_ ? device::Time(serial) - *hidden_ : time_;
    }

private:
    device::Time time_;
    std::optional<device::Time> hidden_;
};

struct SpeedJudgement {
    Decision decision = Decision::inconclusive;
    SpeedResult result;
    std::optional<Failure> wrong;  // wrong values in a timed run
};

// The stage times of one chunk in a pipeline that keeps every engine of the measured device busy.
device::StageTimes stage_times(const protocol::Measurement& measurement);

// The attainable time of a pipeline over the whole problem's chunks on the measured device.
device::Time attainable_time(const Problem& problem, const protocol::Measurement& measurement);

// The figures that the texts of `cause` name: {speedup, required, attainable, share, required_share, low, high, pairs}.
Failure describe_speed(const SpeedResult& result, const char* cause);

// The cause when the noise was too much for a verdict by this rule.
const char* inconclusive_cause(const SpeedRule& rule);

// From times to a verdict. Shares are taken pair by pair, so that drift of the device's clocks hits both.
SpeedJudgement judge_speed(const std::vector<std::chrono::nanoseconds>& times,
                           const std::vector<std::chrono::nanoseconds>& serial_times, const Attainable& bound,
                           const SpeedRule& rule, bool more_time);

// Measures and judges; `bound` is the time that nothing can beat. On a simulated device one pair is enough; `known`
// spares the student's run there. Throws CheckFailed when the student's program misbehaves, CannotCheck when the
// baseline does.
SpeedJudgement measure_speed(Session& session, const Problem& problem, const SpeedRule& rule, const Attainable& bound,
                             std::optional<std::chrono::nanoseconds> known);

}  // namespace checks
