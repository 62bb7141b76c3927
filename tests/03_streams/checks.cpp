// The checks of the streams lab: a chunked pipeline H2D -> kernel -> D2H over several streams.
#include <chrono>
#include <optional>
#include <string>

#include "checks/causes.hpp"
#include "checks/fault_injection.hpp"
#include "checks/lab_test.hpp"
#include "checks/paired_runs.hpp"
#include "checks/trace_judgements.hpp"

namespace {

using checks::CheckFailed;
using checks::Failure;
using checks::NotJudged;
using checks::Problem;
using checks::Session;
using checks::Solved;
using checks::Traced;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t small_chunk = 4096;  // elements
constexpr unsigned small_rounds = 100;
constexpr double required_overlap = 0.25;  // two in-order streams reach 0.5, three or more 0.9
constexpr double required_kernel_work = 0.85;  // of the time that the rounds of all chunks take, launches not counted
const checks::SpeedRule speed_rule;

constexpr Problem small(std::size_t elements) {
    return {elements, small_chunk, small_rounds};
}

constexpr Problem odd_size = small(8 * small_chunk + 1234);

class Streams : public checks::LabTest {
protected:
    // 16 chunks of 2 MiB on the simulated device, 32 chunks of 8 MiB on a GPU, with a kernel about as long as a copy.
    static Problem typical() {
        const bool simulated = session().options().simulated;
        const std::size_t chunk = (simulated ? 2 : 8) * mebibyte / sizeof(checks::Element);
        return {(simulated ? 16 : 32) * chunk, chunk, session().measurement(chunk).rounds};
    }

    // Solves a problem as the check before it needs it; traced on the simulated device, where that changes no time.
    static Solved solve(const Problem& problem, int cycles = 1, int runs = 1) {
        const Traced traced = session().options().simulated ? Traced::yes : Traced::no;
        return session().solve(session().options().program, {problem, cycles, runs, traced});
    }

    // Wrong values have a cause where the simulated device saw one: run() returned too early, or nothing orders two
    // accesses.
    static void require_right(const Solved& solved) {
        if (solved.wrong && solved.trace) {
            require(checks::judge_completeness(*solved.trace));
            require(checks::judge_accesses(solved.trace->findings));
        }
        require(solved.wrong);
    }

    // The traced run of the typical problem, made once.
    static const Solved& typical_traced() {
        if (!typical_traced_) {
            typical_traced_ = session().solve(session().options().program, {typical(), 1, 1, Traced::yes});
            keep_trace(*typical_traced_);
        }
        return *typical_traced_;
    }

    static const device::Trace& typical_trace() { return *typical_traced().trace; }

    // The student's program for the simulated device; the check is skipped when there is none.
    static std::filesystem::path simulated_program() {
        if (const auto program = session().simulated_program()) {
            return *program;
        }
        throw NotJudged(NotJudged::Kind::skipped, {checks::cause::only_simulated, {}, {}, {}});
    }

    // Findings of a program's runs on the simulated device so far, and of one more with `cycles`.
    static const std::vector<device::Finding>& findings_with(const Problem& problem, int cycles) {
        session().solve(simulated_program(), {problem, cycles, 1, Traced::yes});
        return session().findings();
    }

private:
    static void keep_trace(const Solved& solved) {
        if (session().options().trace) {
            device::write_trace(*session().options().trace, *solved.trace);
        }
        session().results().profile = solved.trace->profile;
    }

    static inline std::optional<Solved> typical_traced_;
};

// Half of the 100 points are for overlap and speed: the starter is right and slow, and must not count as nearly done.
TEST_F(Streams, typical_size) {
    judge({.points = 10, .needs = {}},
          [] { require_right(session().options().simulated ? typical_traced() : solve(typical())); });
}

TEST_F(Streams, odd_size) {
    judge({.points = 5, .needs = {}}, [] { require_right(solve(odd_size)); });
}

TEST_F(Streams, less_than_a_chunk) {
    judge({.points = 2, .needs = {}}, [] { require_right(solve(small(small_chunk - 96))); });
}

TEST_F(Streams, one_element) {
    judge({.points = 2, .needs = {}}, [] { require_right(solve(small(1))); });
}

TEST_F(Streams, no_elements) {
    judge({.points = 2, .needs = {}}, [] { require_right(solve(small(0))); });
}

// Two problems in one process, and two runs of each: nothing may be left over from the one before.
TEST_F(Streams, second_run) {
    judge({.points = 4, .needs = {"odd_size"}}, [] { require_right(solve(odd_size, 2, 2)); });
}

TEST_F(Streams, ordered_accesses) {
    judge({.points = 10, .needs = {}}, [] { require(checks::judge_accesses(findings_with(odd_size, 1))); });
}

TEST_F(Streams, output_complete) {
    judge({.points = 3, .needs = {}}, [] {
        require(checks::judge_completeness(typical_trace()));
        if (session().options().simulated) {  // another number of chunks: another stream is the last to finish
            require(checks::judge_completeness(*solve(odd_size).trace));
        }
    });
}

TEST_F(Streams, pinned_async_copies) {
    judge({.points = 3, .needs = {"typical_size"}}, [] { require(checks::judge_copies(typical_trace(), typical())); });
}

TEST_F(Streams, kernel_work) {
    judge({.points = 3, .needs = {"typical_size"}}, [] {
        const Problem problem = typical();
        // Half the rounds take half the work and the same launch: twice the difference is the work alone.
        const auto all_rounds = session().measurement(problem.chunk_elements).kernel_ns;
        const auto half = session().measurement(problem.chunk_elements, problem.rounds / 2).kernel_ns;
        const std::chrono::nanoseconds expected(2 * (all_rounds - half) * problem.chunks());
        require(checks::judge_kernel_work(typical_trace(), expected, required_kernel_work));
    });
}

TEST_F(Streams, overlap) {
    judge({.points = 20, .needs = {"typical_size", "pinned_async_copies", "kernel_work"}},
          [] { require(checks::judge_overlap(typical_trace(), typical(), required_overlap)); });
}

TEST_F(Streams, speed) {
    constexpr double points = 30;
    judge({.points = points, .needs = {"typical_size", "output_complete", "kernel_work"}}, [&] {
        const auto known = session().options().simulated ? std::optional(typical_traced().elapsed) : std::nullopt;
        const checks::SpeedJudgement speed = checks::measure_speed(session(), typical(), speed_rule, known);
        session().results().speed = speed.result;
        require(speed.wrong);
        if (speed.decision == checks::Decision::fail) {
            const auto waiting = checks::find_device_wide_sync(typical_trace());
            require(waiting ? waiting : checks::describe_speed(speed.result, checks::cause::too_slow));
        }
        if (speed.decision != checks::Decision::pass) {
            throw NotJudged(NotJudged::Kind::inconclusive,
                            checks::describe_speed(speed.result, checks::cause::speed_inconclusive));
        }
        award(checks::points_for_share(speed.result.share, speed_rule.required_share, speed_rule.full_share, points));
    });
}

TEST_F(Streams, released) {
    judge({.points = 3, .needs = {}}, [] { require(checks::judge_leaks(findings_with(odd_size, 2))); });
}

TEST_F(Streams, errors_reported) {
    judge({.points = 3, .needs = {"odd_size", "released"}}, [] {
        require(checks::judge_error_handling(session(), simulated_program(), small(2 * small_chunk + 1000)));
        require(checks::judge_unchecked_errors(session().findings()));
    });
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("03_streams", argc, argv);
}
