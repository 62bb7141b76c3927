#include "checks/paired_runs.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "checks/causes.hpp"

namespace checks {
namespace {

using protocol::Action;
using std::chrono::nanoseconds;

device::Time as_time(nanoseconds value) {
    return device::Time(static_cast<double>(value.count()));
}

std::uint64_t median(std::vector<nanoseconds> values) {
    std::sort(values.begin(), values.end());
    return static_cast<std::uint64_t>(values[values.size() / 2].count());
}

std::string figure(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

double share_of_gain(nanoseconds time, nanoseconds serial_time, device::Time bound) {
    const device::SpeedBar bar{as_time(serial_time), bound};
    // A pair in which the serial version beat the bound says nothing but noise: count it as no gain.
    return bar.has_gain() ? bar.share(as_time(time)) : 0;
}

double share_of_throughput(nanoseconds time, device::Time bound) {
    return bound / as_time(std::max(time, nanoseconds(1)));
}

std::vector<double> shares_of(const std::vector<nanoseconds>& times, const std::vector<nanoseconds>& serial_times,
                              const Attainable& attainable, ShareOf share_of) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const device::Time bound = attainable.beside(serial_times[i]);
        shares.push_back(share_of == ShareOf::throughput ? share_of_throughput(times[i], bound)
                                                         : share_of_gain(times[i], serial_times[i], bound));
    }
    return shares;
}

// The speedup over the serial version at which a share is reached.
double speedup_at(double share, const device::SpeedBar& bar, ShareOf share_of) {
    return share_of == ShareOf::throughput ? share * bar.speedup_at(1) : bar.speedup_at(share);
}

// One program with the problem allocated, asked to run again and again.
class Runner {
public:
    Runner(Session& session, const std::filesystem::path& program, const Problem& problem)
        : session_(session), problem_(problem), process_(session.process_for(program)) {}

    void fill() {
        process_->demand(session_.request(prepared_ ? Action::refill : Action::prepare, problem_));
        prepared_ = true;
    }

    nanoseconds run() {
        const protocol::Reply reply = process_->demand(session_.request(Action::run, problem_));
        return process_->simulated() ? nanoseconds(reply.elapsed_ns) : process_->latest_wall_time();
    }

    std::optional<Failure> judge(std::uint64_t seed, std::optional<std::uint64_t> previous) {
        process_->demand(session_.request(Action::collect, problem_));
        return judge_outputs(problem_, seed, session_.outputs(problem_), previous);
    }

    void finish() {
        process_->demand(session_.request(Action::release, problem_));
    }

private:
    Session& session_;
    Problem problem_;
    std::shared_ptr<LabProcess> process_;
    bool prepared_ = false;
};

// The baseline is ours: when it fails, that is no fault of the student.
template <typename Body>
auto trusted(Body body) {
    try {
        return body();
    } catch (const CheckFailed& failed) {
        throw CannotCheck("the baseline program failed: " + failed.failure().cause);
    }
}

class Pairs {
public:
    Pairs(Session& session, const Problem& problem)
        : session_(session),
          problem_(problem),
          student_(session, session.options().program, problem),
          baseline_(trusted([&] { return Runner(session, session.options().baseline, problem); })) {}

    // Both programs on the same inputs, the first one first in every other pair.
    std::pair<nanoseconds, nanoseconds> next() {
        const std::uint64_t seed = session_.fresh_inputs(problem_);
        student_.fill();
        trusted([&] { baseline_.fill(); });
        nanoseconds student{};
        nanoseconds serial{};
        if (student_first_) {
            student = student_.run();
            serial = trusted([&] { return baseline_.run(); });
        } else {
            serial = trusted([&] { return baseline_.run(); });
            student = student_.run();
        }
        student_first_ = !student_first_;
        wrong_ = wrong_ ? wrong_ : student_.judge(seed, previous_);
        previous_ = seed;
        return {student, serial};
    }

    const std::optional<Failure>& wrong() const { return wrong_; }

    void finish() {
        student_.finish();
        trusted([&] { baseline_.finish(); });
    }

private:
    Session& session_;
    Problem problem_;
    Runner student_;
    Runner baseline_;
    bool student_first_ = true;
    std::optional<std::uint64_t> previous_;
    std::optional<Failure> wrong_;
};

SpeedJudgement measure_pairs(Session& session, const Problem& problem, const SpeedRule& rule, const Attainable& bound) {
    const auto deadline = std::chrono::steady_clock::now() + rule.time_cap;
    session.reserve(problem);
    session.forget_processes();  // whatever they went through before must not show in the times
    Pairs pairs(session, problem);
    pairs.next();  // the first run of a process pays for loading the kernels and waking the clocks
    std::vector<nanoseconds> times;
    std::vector<nanoseconds> serial_times;
    for (;;) {
        const auto [student, serial] = pairs.next();
        times.push_back(student);
        serial_times.push_back(serial);
        SpeedJudgement judgement =
            judge_speed(times, serial_times, bound, rule, std::chrono::steady_clock::now() < deadline);
        judgement.wrong = pairs.wrong();
        if (judgement.decision != Decision::measure_on || judgement.wrong) {
            pairs.finish();
            return judgement;
        }
    }
}

SpeedJudgement judge_simulated(Session& session, const Problem& problem, const SpeedRule& rule, const Attainable& bound,
                               std::optional<nanoseconds> known) {
    const nanoseconds student = known ? *known : session.solve(session.options().program, {.problem = problem}).elapsed;
    const nanoseconds serial =
        trusted([&] { return session.solve(session.options().baseline, {.problem = problem}).elapsed; });
    SpeedRule single = rule;
    single.timing.deterministic = true;
    return judge_speed({student}, {serial}, bound, single, false);
}

}  // namespace

device::StageTimes stage_times(const protocol::Measurement& measurement) {
    const auto time = [](std::uint64_t ns) { return device::Time(static_cast<double>(ns)); };
    // One engine never has both directions busy.
    const bool both = measurement.copy_engines != 1;
    return {time(both ? measurement.h2d_both_ns : measurement.h2d_alone_ns), time(measurement.kernel_ns),
            time(both ? measurement.d2h_both_ns : measurement.d2h_alone_ns)};
}

device::Time attainable_time(const Problem& problem, const protocol::Measurement& measurement) {
    return device::attainable(problem.chunks(), stage_times(measurement), measurement.copy_engines);
}

Failure describe_speed(const SpeedResult& result, const char* cause) {
    return {cause,
            {{"speedup", figure(result.speedup)},
             {"required", figure(result.required)},
             {"attainable", figure(result.attainable)},
             {"share", figure(result.share)},
             {"required_share", figure(result.required_share)},
             {"low", figure(result.share_low)},
             {"high", figure(result.share_high)},
             {"pairs", std::to_string(result.pairs)}},
            {},
            {}};
}

const char* inconclusive_cause(const SpeedRule& rule) {
    return rule.share_of == ShareOf::throughput ? cause::throughput_inconclusive : cause::speed_inconclusive;
}

SpeedJudgement judge_speed(const std::vector<nanoseconds>& times, const std::vector<nanoseconds>& serial_times,
                           const Attainable& bound, const SpeedRule& rule, bool more_time) {
    const std::vector<double> shares = shares_of(times, serial_times, bound, rule.share_of);
    const Estimate estimate = estimate_median(shares);
    SpeedJudgement judgement;
    judgement.decision = decide(shares, rule.required_share, rule.timing, more_time);
    SpeedResult& result = judgement.result;
    result.time_ns = median(times);
    result.serial_time_ns = median(serial_times);
    const device::Time attainable = bound.beside(nanoseconds(result.serial_time_ns));
    result.bound_time_ns = static_cast<std::uint64_t>(attainable.count());
    const device::SpeedBar bar{device::Time(static_cast<double>(result.serial_time_ns)), attainable};
    result.speedup =
        static_cast<double>(result.serial_time_ns) / static_cast<double>(std::max<std::uint64_t>(1, result.time_ns));
    if (bar.has_gain()) {
        result.required = speedup_at(rule.required_share, bar, rule.share_of);
        result.full = speedup_at(rule.full_share, bar, rule.share_of);
        result.attainable = bar.speedup_at(1);
    }
    result.share = estimate.median;
    result.share_low = estimate.low;
    result.share_high = estimate.high;
    result.required_share = rule.required_share;
    result.full_share = rule.full_share;
    result.pairs = static_cast<unsigned>(times.size());
    return judgement;
}

SpeedJudgement measure_speed(Session& session, const Problem& problem, const SpeedRule& rule, const Attainable& bound,
                             std::optional<nanoseconds> known) {
    if (session.options().simulated) {
        return judge_simulated(session, problem, rule, bound, known);
    }
    try {
        return session.watched([&] { return measure_pairs(session, problem, rule, bound); });
    } catch (const CheckFailed&) {
        session.forget_processes();
        throw;
    }
}

}  // namespace checks
