// The checks of the events lab: stages timed by events, and three role streams that events join.
#include <algorithm>

#include "checks/causes.hpp"
#include "checks/event_judgements.hpp"
#include "checks/pipeline_lab.hpp"
#include "checks/trace_judgements.hpp"

namespace {

using checks::Problem;

constexpr std::size_t small_chunk = 4096;  // elements
constexpr unsigned small_rounds = 100;
constexpr double required_kernel_work = 0.85;  // of the time that the rounds of all chunks take, launches not counted
const checks::SpeedRule speed_rule{.required_share = 0.60, .full_share = 0.85};

constexpr Problem small(std::size_t elements) {
    return {.elements = elements, .chunk_elements = small_chunk, .rounds = small_rounds};
}

constexpr Problem odd_size = small(8 * small_chunk + 1234);

// A finding about two operations of the device, not about the host and one of them.
bool is_between_operations(const device::Finding& finding) {
    const auto order = finding.details.find("order");
    return finding.kind == checks::cause::unordered_access && order != finding.details.end() &&
           order->second != "order.stream_synchronize";
}

class Events : public checks::PipelineLab {
protected:
    // 16 chunks of 2 MiB on the simulated device, 32 chunks of 8 MiB on a GPU, with a kernel about as long as a copy.
    Problem typical() const override {
        const std::size_t chunk = chunk_of(2 * mebibyte, 8 * mebibyte);
        return {.elements = (simulated() ? 16 : 32) * chunk, .chunk_elements = chunk, .rounds = session().measurement(chunk).rounds};
    }

    device::Time bound() const {
        return checks::attainable_time(typical(), session().measurement(typical().chunk_elements));
    }

    // A stage that waits for nothing may be under way at the end because of that: waiting longer would only hide it.
    static void require_right(const checks::Solved& solved) {
        if (solved.wrong && solved.trace) {
            const std::vector<device::Finding>& findings = solved.trace->findings;
            if (std::any_of(findings.begin(), findings.end(), is_between_operations)) {
                require(checks::judge_accesses(findings));
            }
        }
        PipelineLab::require_right(solved);
    }

    static void check_right(const Problem& problem, int cycles = 1, int runs = 1) {
        require_right(solve(problem, cycles, runs));
    }

    // On a GPU about 45 us pass between an event and the copy behind it (seen on an H200): 1 % of the whole problem's copy.
    // On the simulated device a quarter of it is long enough.
    void check_stage_times() const {
        Problem problem = typical();
        problem.elements /= simulated() ? 4 : 1;
        const checks::Solved solved = session().solve(
            session().options().program, {.problem = problem, .traced = checks::Traced::yes, .measure_stages = true});
        const auto wrong = checks::judge_stage_times(*solved.trace, problem, kernel_work_of(problem), solved.stages);
        if (wrong) {
            require(checks::judge_completeness(*solved.trace));  // what run() leaves under way disturbs the measuring
        }
        require(wrong);
    }
};

// The starter is right and slow, and must not count as nearly done: it gets the points of what it already does.
TEST_F(Events, typical_size) {
    judge({.points = 6, .needs = {}}, [&] { simulated() ? require_right(typical_traced()) : check_right(typical()); });
}

TEST_F(Events, odd_size) {
    judge({.points = 3, .needs = {}}, [&] { check_right(odd_size); });
}

TEST_F(Events, less_than_a_chunk) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(small_chunk - 96)); });
}

TEST_F(Events, one_element) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(1)); });
}

TEST_F(Events, no_elements) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(0)); });
}

// Two problems in one process, and two runs of each: nothing may be left over from the one before.
TEST_F(Events, second_run) {
    judge({.points = 3, .needs = {"odd_size"}}, [&] { check_right(odd_size, 2, 2); });
}

// On every simulated device: figures that were found once are right on one.
TEST_F(Events, stage_times) {
    judge({.points = 16, .needs = {}}, [&] {
        check_stage_times();
        if (simulated()) {
            on_other_devices([&] { check_stage_times(); });
        }
    });
}

TEST_F(Events, role_streams) {
    judge({.points = 8, .needs = {}}, [&] {
        require(checks::judge_copies(typical_trace(), typical()));
        require(checks::judge_roles(typical_trace()));
    });
}

TEST_F(Events, no_host_waits) {
    judge({.points = 4, .needs = {"role_streams"}}, [&] { require(checks::judge_host_waits(typical_trace())); });
}

TEST_F(Events, recorded_before_waited) {
    judge({.points = 6, .needs = {"role_streams"}}, [&] { require(checks::judge_waits(findings_with(odd_size, 1))); });
}

TEST_F(Events, ordered_accesses) {
    judge({.points = 8, .needs = {}}, [&] { check_ordered(odd_size); });
}

TEST_F(Events, ordering_events) {
    judge({.points = 6, .needs = {"role_streams"}},
          [&] { require(checks::judge_ordering_events(findings_with(odd_size, 1))); });
}

TEST_F(Events, output_complete) {
    judge({.points = 3, .needs = {}}, [&] { check_complete(odd_size); });
}

TEST_F(Events, kernel_work) {
    judge({.points = 3, .needs = {"typical_size"}}, [&] { check_kernel_work(required_kernel_work); });
}

TEST_F(Events, speed) {
    constexpr double points = 18;
    judge({.points = points, .needs = {"typical_size", "output_complete", "kernel_work"}},
          [&] { check_speed(points, speed_rule, bound(), checks::find_roles_in_turn); });
}

TEST_F(Events, other_devices) {
    judge({.points = 4, .needs = {"speed"}}, [&] {
        check_other_devices(
            speed_rule, [&] { return bound(); }, checks::find_roles_in_turn);
    });
}

TEST_F(Events, released) {
    judge({.points = 3, .needs = {}}, [&] { check_released(odd_size); });
}

TEST_F(Events, errors_reported) {
    judge({.points = 3, .needs = {"odd_size", "released"}},
          [&] { check_errors_reported(small(2 * small_chunk + 1000)); });
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("04_events", argc, argv);
}
