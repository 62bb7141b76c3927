#include "checks/pipeline_lab.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "checks/causes.hpp"
#include "checks/fault_injection.hpp"
#include "checks/trace_judgements.hpp"

namespace checks {
namespace {

// Puts the typical run of the device at hand back, whatever happens on another.
struct KeptTypicalRun {
    std::optional<Solved>& current;
    std::optional<Solved> kept;
    ~KeptTypicalRun() { current = std::move(kept); }
};

}  // namespace

Solved PipelineLab::solve(const Problem& problem, int cycles, int runs) {
    const Traced traced = simulated() ? Traced::yes : Traced::no;
    return session().solve(session().options().program, {problem, cycles, runs, traced});
}

const Solved& PipelineLab::typical_traced() const {
    if (!typical_traced_) {
        // The first run of a process on a GPU pays for what later ones find ready.
        typical_traced_ = session().solve(session().options().program,
                                          {.problem = typical(), .traced = Traced::yes, .warm_up = !simulated()});
        if (session().options().trace) {
            device::write_trace(*session().options().trace, *typical_traced_->trace);
        }
        session().results().profile = typical_traced_->trace->profile;
    }
    return *typical_traced_;
}

std::filesystem::path PipelineLab::simulated_program() {
    if (const auto program = session().simulated_program()) {
        return *program;
    }
    throw NotJudged(NotJudged::Kind::skipped, {cause::only_simulated, {}, {}, {}});
}

const std::vector<device::Finding>& PipelineLab::findings_with(const Problem& problem, int cycles) {
    session().solve(simulated_program(), {problem, cycles, 1, Traced::yes});
    return session().findings();
}

void PipelineLab::require_right(const Solved& solved) {
    if (solved.wrong && solved.trace) {
        require(judge_completeness(*solved.trace));
        require(judge_accesses(solved.trace->findings));
    }
    require(solved.wrong);
}

void PipelineLab::check_typical_right() const {
    if (simulated()) {
        require_right(typical_traced());
    } else {
        check_right(typical());
    }
}

void PipelineLab::check_ordered(const Problem& problem) {
    require(judge_accesses(findings_with(problem, 1)));
}

void PipelineLab::check_released(const Problem& problem) {
    require(judge_leaks(findings_with(problem, 2)));
}

void PipelineLab::check_errors_reported(const Problem& problem) {
    require(judge_error_handling(session(), simulated_program(), problem));
    require(judge_unchecked_errors(session().findings()));
}

void PipelineLab::check_complete(const Problem& other) const {
    require(judge_completeness(typical_trace()));
    if (simulated()) {
        require(judge_completeness(*solve(other).trace));
    }
}

std::chrono::nanoseconds PipelineLab::kernel_work_of(const Problem& problem) {
    // Half the rounds take half the work and the same launch: twice the difference is the work alone.
    const auto all_rounds = session().measurement(problem.chunk_elements, problem.rounds).kernel_ns;
    const auto half = session().measurement(problem.chunk_elements, problem.rounds / 2).kernel_ns;
    return std::chrono::nanoseconds(2 * (all_rounds - half) * problem.chunks());
}

void PipelineLab::check_kernel_work(double required, std::size_t chunk_elements) const {
    Problem problem = typical();
    problem.chunk_elements = chunk_elements == 0 ? problem.chunk_elements : chunk_elements;
    const std::chrono::nanoseconds work = kernel_work_of(problem);
    const std::chrono::nanoseconds chunk(session().measurement(problem.chunk_elements, problem.rounds).kernel_ns);
    // Measured between events it is longer than the kernel's own time tells: half of it is surely no work. A GPU's
    // trace has kernels without their launches, and many small ones would be taken for less work than they are.
    using std::chrono::nanoseconds;
    const nanoseconds work_of_chunk = work / static_cast<std::int64_t>(problem.chunks());
    const nanoseconds launch = simulated() ? std::max((chunk - work_of_chunk) / 2, nanoseconds(0)) : nanoseconds(0);
    require(judge_kernel_work(typical_trace(), work, required, launch));
    require(judge_results_copied(session().findings()));
}

void PipelineLab::check_speed(double points, const SpeedRule& rule, const Attainable& bound, const Explain& explain) {
    const auto known = simulated() ? std::optional(typical_traced().elapsed) : std::nullopt;
    const SpeedJudgement speed = measure_speed(session(), typical(), rule, bound, known);
    session().results().speed = speed.result;
    require(speed.wrong);
    if (speed.decision == Decision::fail) {
        const auto reason = explain(typical_trace());
        require(reason ? reason : describe_speed(speed.result, cause::too_slow));
    }
    if (speed.decision != Decision::pass) {
        throw NotJudged(NotJudged::Kind::inconclusive, describe_speed(speed.result, inconclusive_cause(rule)));
    }
    award(points_for_share(speed.result.share, rule.required_share, rule.full_share, points));
}

void PipelineLab::check_other_devices(const SpeedRule& rule, const Bound& bound, const Explain& explain) {
    on_other_devices([&] {
        check_typical_right();
        const SpeedJudgement speed = measure_speed(session(), typical(), rule, bound(), typical_traced().elapsed);
        if (speed.decision != Decision::pass) {
            const auto reason = explain(typical_trace());
            Failure failure = reason ? *reason : describe_speed(speed.result, cause::too_slow_elsewhere);
            failure.arguments["profile"] = session().results().profile;
            throw CheckFailed(failure);
        }
    });
}

void PipelineLab::on_other_devices(const std::function<void()>& body) {
    for (const std::filesystem::path& profile : session().options().other_profiles) {
        const auto options = session().options_for(profile);
        if (!options) {
            throw NotJudged(NotJudged::Kind::skipped, {cause::only_simulated, {}, {}, {}});
        }
        Session other(*options);
        const SessionInstead instead(other);
        const KeptTypicalRun restore{typical_traced_, std::exchange(typical_traced_, std::nullopt)};
        body();
    }
}

}  // namespace checks
