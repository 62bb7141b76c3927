// The checks of the best-practices lab: a pipeline that chooses its own chunk size and number of streams, and has none of
// the habits that cost throughput.
#include <algorithm>

#include "checks/event_judgements.hpp"
#include "checks/habit_judgements.hpp"
#include "checks/pipeline_lab.hpp"
#include "checks/trace_judgements.hpp"

namespace {

using checks::Problem;

constexpr unsigned small_rounds = 100;
constexpr double required_kernel_work = 0.85;  // of the time that the rounds of all elements take, launches not counted
constexpr double required_copy_rate = 0.75;    // of the rate of large copies, for a copy that is not too small
constexpr double allowed_fill = 0.25;          // of the time for filling and draining, for a chunk that is not too large
const checks::SpeedRule throughput_rule{
    .required_share = 0.90, .full_share = 0.94, .share_of = checks::ShareOf::throughput};

constexpr Problem small(std::size_t elements) {
    return {.elements = elements, .chunk_elements = std::max<std::size_t>(1, elements), .rounds = small_rounds};
}

constexpr Problem odd_size = small((std::size_t{1} << 18) + 12345);  // 1 MiB and a bit
constexpr Problem little = small(3000);  // here every call is made to fail once

class BestPractices : public checks::PipelineLab {
protected:
    // 8 MiB each way on the simulated device and 256 MiB on a GPU, in "one chunk": the pipeline chooses its own. A kernel
    // over a large chunk takes about as long as its copy; the work per element is the same for every chunk size.
    Problem typical() const override {
        const std::size_t elements = chunk_of(8 * mebibyte, 256 * mebibyte);
        return {.elements = elements, .chunk_elements = elements, .rounds = session().measurement(elements / 4).rounds};
    }

    // A pipeline over the typical problem in chunks of one size, as it would ideally be.
    struct Ideal {
        std::size_t chunk_bytes = 0;
        std::chrono::nanoseconds copy_time{};
        device::Time bound{};
        double fill_share = 0;
    };

    // In powers of two, from 64 KiB to a quarter of the problem.
    std::vector<Ideal> ideals() const {
        std::vector<Ideal> found;
        Problem problem = typical();
        constexpr std::size_t smallest = (std::size_t{64} << 10) / sizeof(checks::Element);
        for (problem.chunk_elements = smallest; problem.chunks() >= 4; problem.chunk_elements *= 2) {
            const auto& measured = session().measurement(problem.chunk_elements, problem.rounds);
            const device::StageTimes stages = checks::stage_times(measured);
            const device::Time copies = measured.copy_engines == 1 ? stages.h2d + stages.d2h : stages.longest();
            const device::Time busiest = std::max(copies, stages.kernel);
            const device::Time bound = checks::attainable_time(problem, measured);
            found.push_back({problem.chunk_elements * sizeof(checks::Element),
                             std::chrono::nanoseconds(measured.h2d_alone_ns), bound,
                             1 - static_cast<double>(problem.chunks()) * busiest / bound});
        }
        return found;
    }

    device::Time bound() const {
        const std::vector<Ideal> all = ideals();
        return std::min_element(all.begin(), all.end(), [](const Ideal& a, const Ideal& b) { return a.bound < b.bound; })
            ->bound;
    }

    checks::CopyLimits limits_of_copies() const {
        std::vector<checks::CopyRate> rates;
        for (const Ideal& ideal : ideals()) {
            rates.push_back({ideal.chunk_bytes, ideal.copy_time, ideal.fill_share});
        }
        return checks::copy_limits(rates, required_copy_rate, allowed_fill);
    }
};

TEST_F(BestPractices, typical_size) {
    judge({.points = 6, .needs = {}}, [&] { check_typical_right(); });
}

TEST_F(BestPractices, odd_size) {
    judge({.points = 3, .needs = {}}, [&] { check_right(odd_size); });
}

TEST_F(BestPractices, one_element) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(1)); });
}

TEST_F(BestPractices, no_elements) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(0)); });
}

TEST_F(BestPractices, second_run) {
    judge({.points = 3, .needs = {"odd_size"}}, [&] { check_right(odd_size, 2, 2); });
}

TEST_F(BestPractices, ordered_accesses) {
    judge({.points = 6, .needs = {}}, [&] { check_ordered(odd_size); });
}

TEST_F(BestPractices, output_complete) {
    judge({.points = 3, .needs = {}}, [&] { check_complete(odd_size); });
}

TEST_F(BestPractices, kernel_work) {
    judge({.points = 3, .needs = {"typical_size"}},
          [&] { check_kernel_work(required_kernel_work, typical().elements / 4); });
}

TEST_F(BestPractices, pinned_async_copies) {
    judge({.points = 4, .needs = {"typical_size"}}, [&] { require(checks::judge_copies(typical_trace(), typical())); });
}

TEST_F(BestPractices, nothing_allocated_in_run) {
    judge({.points = 4, .needs = {"typical_size"}}, [&] { require(checks::judge_allocations(typical_trace())); });
}

TEST_F(BestPractices, no_default_stream) {
    judge({.points = 4, .needs = {"typical_size"}}, [&] { require(checks::find_legacy_default_stream(typical_trace())); });
}

TEST_F(BestPractices, no_device_wide_sync) {
    judge({.points = 4, .needs = {"typical_size"}}, [&] { require(checks::find_device_wide_sync(typical_trace())); });
}

TEST_F(BestPractices, copy_sizes) {
    judge({.points = 5, .needs = {"typical_size"}},
          [&] { require(checks::judge_copy_sizes(typical_trace(), limits_of_copies())); });
}

TEST_F(BestPractices, enough_streams) {
    judge({.points = 4, .needs = {"typical_size"}}, [&] { require(checks::judge_stream_count(typical_trace())); });
}

TEST_F(BestPractices, separate_directions) {
    judge({.points = 4, .needs = {"typical_size"}}, [&] { require(checks::judge_directions(typical_trace())); });
}

// Only the simulated device knows how an event was made.
TEST_F(BestPractices, ordering_events) {
    judge({.points = 4, .needs = {}}, [&] { require(checks::judge_ordering_events(findings_with(odd_size, 1))); });
}

TEST_F(BestPractices, reported_time) {
    judge({.points = 5, .needs = {"typical_size"}},
          [&] { require(checks::judge_reported_time(typical_trace(), typical_traced().reported_ms)); });
}

TEST_F(BestPractices, measured_choice) {
    judge({.points = 4, .needs = {"typical_size"}}, [&] { require(checks::judge_choice(typical_trace())); });
}

TEST_F(BestPractices, released) {
    judge({.points = 3, .needs = {}}, [&] { check_released(odd_size); });
}

TEST_F(BestPractices, errors_reported) {
    judge({.points = 5, .needs = {"odd_size", "released"}}, [&] { check_errors_reported(little); });
}

TEST_F(BestPractices, speed) {
    constexpr double points = 16;
    judge({.points = points, .needs = {"typical_size", "output_complete", "kernel_work"}},
          [&] { check_speed(points, throughput_rule, bound(), checks::find_device_wide_sync); });
}

TEST_F(BestPractices, other_devices) {
    judge({.points = 6, .needs = {"speed"}},
          [&] { check_other_devices(throughput_rule, [&] { return bound(); }, checks::find_device_wide_sync); });
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("06_best_practices", argc, argv);
}
