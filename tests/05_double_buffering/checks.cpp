// The checks of the double-buffering lab: data that do not fit into device memory, through slots that are used in turn.
#include <algorithm>

#include "checks/event_judgements.hpp"
#include "checks/host_stage_judgements.hpp"
#include "checks/pipeline_lab.hpp"
#include "checks/trace_judgements.hpp"

namespace {

using checks::Problem;
using std::chrono::nanoseconds;

constexpr std::size_t slots = 3;           // with an input and an output each, they fill the budget of device memory
constexpr std::size_t chunks = 18;         // all inputs are three times as large as the budget
constexpr std::size_t small_chunk = 4096;  // elements
constexpr unsigned small_rounds = 100;
constexpr nanoseconds small_host_copy{5 * small_chunk};  // whole nanoseconds for any number of elements
constexpr double required_overlap = 0.4;                 // of copies with kernels; two slots reach 0.9
constexpr double required_host_overlap = 0.75;  // two slots reach 0.9; a host that waits for each chunk at most 0.5
constexpr double required_kernel_work = 0.85;   // of the time that the rounds of all chunks take, launches not counted
const checks::SpeedRule speed_rule{.required_share = 0.60, .full_share = 0.90};

constexpr std::size_t budget(std::size_t chunk_elements) {
    return 2 * slots * chunk_elements * sizeof(checks::Element);
}

constexpr Problem small(std::size_t elements) {
    return {.elements = elements,
            .chunk_elements = small_chunk,
            .rounds = small_rounds,
            .host_copy = small_host_copy,
            .device_bytes = budget(small_chunk)};
}

constexpr Problem odd_size = small(chunks * small_chunk + 1234);

// Copy in and copy out of a chunk.
nanoseconds copies_of(const protocol::Measurement& measured) {
    const device::StageTimes stages = checks::stage_times(measured);
    return std::chrono::duration_cast<nanoseconds>(stages.h2d + stages.d2h);
}

class DoubleBuffering : public checks::PipelineLab {
protected:
    // 18 chunks, of 2 MiB on the simulated device and of 4 MiB on a GPU. The kernel is the slowest stage, so that a
    // host that is as fast as it should be never keeps the device waiting.
    Problem typical() const override {
        const std::size_t chunk = chunk_of(2 * mebibyte, 4 * mebibyte);
        const nanoseconds copies = copies_of(session().measurement(chunk));
        const nanoseconds host_copy = host_copy_beside(copies, chunk);
        const double kernel_ns = 1.15 * static_cast<double>(std::max(2 * host_copy, copies).count());
        return {.elements = chunks * chunk,
                .chunk_elements = chunk,
                .rounds = rounds_that_take(kernel_ns, chunk),
                .host_copy = host_copy,
                .device_bytes = budget(chunk)};
    }

    device::Time bound() const {
        const Problem problem = typical();
        const protocol::Measurement& measured = session().measurement(problem.chunk_elements, problem.rounds);
        const device::Time host_copy(static_cast<double>(problem.host_copy.count()));
        return device::with_host_stages(problem.chunks(), checks::stage_times(measured), measured.copy_engines,
                                        host_copy, host_copy);
    }

    static std::optional<checks::Failure> find_idle_device(const device::Trace& trace) {
        return checks::find_idle_device(trace, required_host_overlap);
    }

    // A wait for an event that is never recorded, although every slot is used, is the reason for what it leaves without
    // an order.
    static void require_ordered(const std::vector<device::Finding>& findings, const Problem& problem) {
        const auto unordered = checks::judge_accesses(findings);
        if (unordered && problem.chunks() >= slots) {
            require(checks::judge_waits(findings));
        }
        require(unordered);
    }

    // Wrong results because of what the host left out, or did twice, are told as that: waiting for the chunks that it
    // left in their slots would not bring them to the consumer.
    static void require_right(const checks::Solved& solved, const Problem& problem) {
        if (solved.wrong && solved.trace) {
            require(checks::judge_host_stages(*solved.trace, problem));
            require_ordered(solved.trace->findings, problem);
            require(checks::judge_completeness(*solved.trace));
        }
        require(solved.wrong);
    }

    static void check_right(const Problem& problem, int cycles = 1, int runs = 1) {
        require_right(solve(problem, cycles, runs), problem);
    }

private:
    // On a GPU twice as long as the real copy that it stands for, whose time varies. On the simulated device,
    // where no real copy takes time, as long as the copies between host and device, so that every stage counts.
    static nanoseconds host_copy_beside(nanoseconds copies, std::size_t chunk) {
        return simulated() ? copies / 2 : nanoseconds(session().measurement(chunk).host_copy_ns * 2);
    }

    // Kernel time is a straight line in the rounds.
    static unsigned rounds_that_take(double kernel_ns, std::size_t chunk) {
        const protocol::Measurement once = session().measurement(chunk);
        const protocol::Measurement twice = session().measurement(chunk, 2 * once.rounds);
        const double per_round =
            (static_cast<double>(twice.kernel_ns) - static_cast<double>(once.kernel_ns)) / once.rounds;
        const double more = (kernel_ns - static_cast<double>(once.kernel_ns)) / std::max(per_round, 1e-3);
        return static_cast<unsigned>(std::max(1.0, once.rounds + more));
    }
};

// Half of the 100 points are for what overlaps: the starter is right and slow, and must not count as nearly done.
TEST_F(DoubleBuffering, typical_size) {
    judge({.points = 6, .needs = {}},
          [&] { simulated() ? require_right(typical_traced(), typical()) : check_right(typical()); });
}

// The values are not looked at: the device refuses what goes over the budget, and run() or allocate() returns its
// error.
TEST_F(DoubleBuffering, memory_budget) {
    judge({.points = 4, .needs = {}}, [&] { solve(odd_size); });
}

TEST_F(DoubleBuffering, odd_size) {
    judge({.points = 4, .needs = {"memory_budget"}}, [&] { check_right(odd_size); });
}

TEST_F(DoubleBuffering, less_than_a_chunk) {
    judge({.points = 2, .needs = {"memory_budget"}}, [&] { check_right(small(small_chunk - 96)); });
}

TEST_F(DoubleBuffering, one_element) {
    judge({.points = 2, .needs = {"memory_budget"}}, [&] { check_right(small(1)); });
}

TEST_F(DoubleBuffering, no_elements) {
    judge({.points = 2, .needs = {"memory_budget"}}, [&] { check_right(small(0)); });
}

// Two problems in one process, and two runs of each: nothing may be left over from the one before.
TEST_F(DoubleBuffering, second_run) {
    judge({.points = 4, .needs = {"odd_size"}}, [&] { check_right(odd_size, 2, 2); });
}

TEST_F(DoubleBuffering, each_chunk_once) {
    judge({.points = 4, .needs = {"odd_size"}}, [&] {
        const auto solved = session().solve(simulated_program(), {odd_size, 1, 2, checks::Traced::yes});
        require(checks::judge_host_stages(*solved.trace, odd_size));
    });
}

TEST_F(DoubleBuffering, ordered_accesses) {
    judge({.points = 8, .needs = {"memory_budget"}}, [&] {
        const auto solved = session().solve(simulated_program(), {odd_size, 1, 1, checks::Traced::yes});
        require_ordered(solved.trace->findings, odd_size);
        require(checks::judge_accesses(session().findings()));
    });
}

TEST_F(DoubleBuffering, output_complete) {
    judge({.points = 2, .needs = {"memory_budget"}}, [&] { check_complete(odd_size); });
}

TEST_F(DoubleBuffering, pinned_async_copies) {
    judge({.points = 2, .needs = {"typical_size"}}, [&] { require(checks::judge_copies(typical_trace(), typical())); });
}

TEST_F(DoubleBuffering, kernel_work) {
    judge({.points = 2, .needs = {"typical_size"}}, [&] { check_kernel_work(required_kernel_work); });
}

TEST_F(DoubleBuffering, producer_overlaps) {
    judge({.points = 16, .needs = {"typical_size", "pinned_async_copies", "kernel_work"}}, [&] {
        require(checks::judge_host_stages(typical_trace(), typical()));
        require(checks::judge_host_stage_overlap(typical_trace(), required_host_overlap));
    });
}

TEST_F(DoubleBuffering, copies_overlap) {
    judge({.points = 12, .needs = {"typical_size", "pinned_async_copies", "kernel_work"}},
          [&] { require(checks::judge_copies_beside_kernels(typical_trace(), required_overlap)); });
}

TEST_F(DoubleBuffering, speed) {
    constexpr double points = 20;
    judge({.points = points, .needs = {"typical_size", "output_complete", "kernel_work"}},
          [&] { check_speed(points, speed_rule, bound(), find_idle_device); });
}

TEST_F(DoubleBuffering, other_devices) {
    judge({.points = 4, .needs = {"speed"}}, [&] {
        check_other_devices(
            speed_rule, [&] { return bound(); }, find_idle_device);
    });
}

TEST_F(DoubleBuffering, released) {
    judge({.points = 3, .needs = {"memory_budget"}}, [&] { check_released(odd_size); });
}

TEST_F(DoubleBuffering, errors_reported) {
    judge({.points = 3, .needs = {"odd_size", "released"}},
          [&] { check_errors_reported(small(4 * small_chunk + 1000)); });
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("05_double_buffering", argc, argv);
}
