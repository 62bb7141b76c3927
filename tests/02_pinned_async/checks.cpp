// The checks of the pinned-memory lab: everything in one stream, and the host works while the device does.
#include <algorithm>

#include "checks/call_judgements.hpp"
#include "checks/host_judgements.hpp"
#include "checks/pipeline_lab.hpp"
#include "checks/trace_judgements.hpp"

namespace {

using checks::Problem;
using device::Time;

constexpr unsigned small_rounds = 100;
constexpr double call_time_limit = 0.10;       // of the time of the copies; a pageable copy keeps the host for all of it
constexpr double required_rate = 0.80;         // of what pinned copies reach here; pageable ones reach a quarter or less
constexpr double expected_beside = 0.80;       // of the host's work; less explains why a program is too slow
constexpr double required_kernel_work = 0.85;  // of the time that the rounds of all elements take, launches not counted
const checks::SpeedRule speed_rule{.required_share = 0.60, .full_share = 0.85};

Problem small(std::size_t elements) {
    return {.elements = elements,
            .chunk_elements = std::max<std::size_t>(elements, 1),
            .rounds = small_rounds,
            .host_work = std::chrono::microseconds(50)};
}

const Problem odd_size = small(34'002);

std::optional<checks::Failure> explain(const device::Trace& trace) {
    return checks::judge_host_work_beside_device(trace, expected_beside);
}

class PinnedAsync : public checks::PipelineLab {
protected:
    // 4 MiB each way on the simulated device and 64 MiB on a GPU. A chunk is what is measured: all of it, or a quarter on a
    // GPU. The kernel takes a quarter of the time of a copy, so that a copy beside which the host does nothing costs more
    // than the bar allows; the host's own work takes as long as all that the device does.
    Problem typical() const override {
        const std::size_t chunk = chunk_of(4 * mebibyte, 16 * mebibyte);
        Problem problem{.elements = simulated() ? chunk : 4 * chunk, .chunk_elements = chunk};
        problem.rounds = std::max(1u, session().measurement(chunk).rounds / 4);
        problem.host_work = std::chrono::duration_cast<std::chrono::nanoseconds>(stages_of(problem).sum());
        return problem;
    }

    const protocol::Measurement& measured_chunk() const {
        return session().measurement(typical().chunk_elements, typical().rounds);
    }

    // What can be hidden is the host work beside all that the device does.
    checks::Attainable bound() const {
        const Problem problem = typical();
        return checks::Attainable::serial_less(std::min(stages_of(problem).sum(), Time(problem.host_work)));
    }

private:
    // What the device needs for all of the problem when each stage has it to itself.
    static device::StageTimes stages_of(const Problem& problem) {
        const auto& one = session().measurement(problem.chunk_elements, problem.rounds);
        const auto whole = [&](std::uint64_t ns) { return Time(static_cast<double>(problem.chunks() * ns)); };
        return {whole(one.h2d_alone_ns), whole(one.kernel_ns), whole(one.d2h_alone_ns)};
    }
};

// Six tenths of the points are for what this lab teaches: the starter is right and slow, and must not count as nearly done.
TEST_F(PinnedAsync, typical_size) {
    judge({.points = 8, .needs = {}}, [&] { check_typical_right(); });
}

TEST_F(PinnedAsync, odd_size) {
    judge({.points = 3, .needs = {}}, [&] { check_right(odd_size); });
}

TEST_F(PinnedAsync, one_element) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(1)); });
}

TEST_F(PinnedAsync, no_elements) {
    judge({.points = 2, .needs = {}}, [&] {
        check_right(small(0));
        require(checks::judge_host_work_done(solve(small(0)).host_work, small(0)));
    });
}

// Two problems in one process, and two runs of each: nothing may be left over from the one before.
TEST_F(PinnedAsync, second_run) {
    judge({.points = 3, .needs = {"odd_size"}}, [&] { check_right(odd_size, 2, 2); });
}

TEST_F(PinnedAsync, ordered_accesses) {
    judge({.points = 6, .needs = {}}, [&] { check_ordered(odd_size); });
}

TEST_F(PinnedAsync, output_complete) {
    judge({.points = 3, .needs = {}}, [&] { check_complete(odd_size); });
}

TEST_F(PinnedAsync, kernel_work) {
    judge({.points = 3, .needs = {"typical_size"}}, [&] { check_kernel_work(required_kernel_work); });
}

// Also in the second run of a problem, of which no trace is shown.
TEST_F(PinnedAsync, host_work_done) {
    judge({.points = 3, .needs = {"typical_size"}}, [&] {
        require(checks::judge_host_work_done(typical_traced().host_work, typical()));
        require(checks::judge_host_work_traced(typical_trace(), typical()));
        require(checks::judge_host_work_done(solve(odd_size, 2, 2).host_work, odd_size));
    });
}

TEST_F(PinnedAsync, pinned_async_copies) {
    judge({.points = 10, .needs = {"typical_size"}}, [&] { require(checks::judge_copies(typical_trace(), typical())); });
}

TEST_F(PinnedAsync, asynchronous_calls) {
    judge({.points = 7, .needs = {"typical_size"}},
          [&] { require(checks::judge_copy_calls(typical_trace(), call_time_limit)); });
}

TEST_F(PinnedAsync, bandwidth) {
    judge({.points = 5, .needs = {"typical_size"}}, [&] {
        require(checks::judge_copy_rates(typical_trace(), typical(), measured_chunk(), required_rate));
    });
}

TEST_F(PinnedAsync, registered_input) {
    judge({.points = 7, .needs = {"typical_size"}}, [&] {
        require(checks::judge_pinning(typical_trace()));
        require(checks::judge_input_in_place(typical_trace(), session().findings()));
    });
}

TEST_F(PinnedAsync, own_stream) {
    judge({.points = 5, .needs = {"typical_size"}}, [&] { require(checks::judge_wait(typical_trace())); });
}

TEST_F(PinnedAsync, speed) {
    constexpr double points = 22;
    judge({.points = points, .needs = {"typical_size", "output_complete", "kernel_work", "host_work_done"}},
          [&] { check_speed(points, speed_rule, bound(), explain); });
}

TEST_F(PinnedAsync, other_devices) {
    judge({.points = 5, .needs = {"speed"}}, [&] { check_other_devices(speed_rule, [&] { return bound(); }, explain); });
}

TEST_F(PinnedAsync, released) {
    judge({.points = 3, .needs = {}}, [&] { check_released(odd_size); });
}

TEST_F(PinnedAsync, errors_reported) {
    judge({.points = 3, .needs = {"odd_size", "released"}}, [&] { check_errors_reported(small(5000)); });
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("02_pinned_async", argc, argv);
}
