// The checks of the streams lab: a chunked pipeline H2D -> kernel -> D2H over several streams.
#include "checks/pipeline_lab.hpp"
#include "checks/trace_judgements.hpp"

namespace {

using checks::Problem;

constexpr std::size_t small_chunk = 4096;  // elements
constexpr unsigned small_rounds = 100;
constexpr double required_overlap = 0.25;      // two in-order streams reach 0.5, three or more 0.9
constexpr double required_kernel_work = 0.85;  // of the time that the rounds of all chunks take, launches not counted
const checks::SpeedRule speed_rule{.required_share = 0.60, .full_share = 0.85};

constexpr Problem small(std::size_t elements) {
    return {.elements = elements, .chunk_elements = small_chunk, .rounds = small_rounds};
}

constexpr Problem odd_size = small(8 * small_chunk + 1234);

class Streams : public checks::PipelineLab {
protected:
    // 16 chunks of 2 MiB on the simulated device, 32 chunks of 8 MiB on a GPU, with a kernel about as long as a copy.
    Problem typical() const override {
        const std::size_t chunk = chunk_of(2 * mebibyte, 8 * mebibyte);
        return {.elements = (simulated() ? 16 : 32) * chunk, .chunk_elements = chunk, .rounds = session().measurement(chunk).rounds};
    }

    device::Time bound() const {
        return checks::attainable_time(typical(), session().measurement(typical().chunk_elements));
    }
};

// Half of the 100 points are for overlap and speed: the starter is right and slow, and must not count as nearly done.
TEST_F(Streams, typical_size) {
    judge({.points = 10, .needs = {}}, [&] { check_typical_right(); });
}

TEST_F(Streams, odd_size) {
    judge({.points = 5, .needs = {}}, [&] { check_right(odd_size); });
}

TEST_F(Streams, less_than_a_chunk) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(small_chunk - 96)); });
}

TEST_F(Streams, one_element) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(1)); });
}

TEST_F(Streams, no_elements) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(0)); });
}

// Two problems in one process, and two runs of each: nothing may be left over from the one before.
TEST_F(Streams, second_run) {
    judge({.points = 4, .needs = {"odd_size"}}, [&] { check_right(odd_size, 2, 2); });
}

TEST_F(Streams, ordered_accesses) {
    judge({.points = 10, .needs = {}}, [&] { check_ordered(odd_size); });
}

TEST_F(Streams, output_complete) {
    judge({.points = 3, .needs = {}}, [&] { check_complete(odd_size); });
}

TEST_F(Streams, pinned_async_copies) {
    judge({.points = 3, .needs = {"typical_size"}}, [&] { require(checks::judge_copies(typical_trace(), typical())); });
}

TEST_F(Streams, kernel_work) {
    judge({.points = 3, .needs = {"typical_size"}}, [&] { check_kernel_work(required_kernel_work); });
}

TEST_F(Streams, overlap) {
    judge({.points = 20, .needs = {"typical_size", "pinned_async_copies", "kernel_work"}},
          [&] { require(checks::judge_overlap(typical_trace(), typical(), required_overlap)); });
}

TEST_F(Streams, speed) {
    constexpr double points = 25;
    judge({.points = points, .needs = {"typical_size", "output_complete", "kernel_work"}},
          [&] { check_speed(points, speed_rule, bound(), checks::find_device_wide_sync); });
}

TEST_F(Streams, other_devices) {
    judge({.points = 5, .needs = {"speed"}},
          [&] { check_other_devices(speed_rule, [&] { return bound(); }, checks::find_device_wide_sync); });
}

TEST_F(Streams, released) {
    judge({.points = 3, .needs = {}}, [&] { check_released(odd_size); });
}

TEST_F(Streams, errors_reported) {
    judge({.points = 3, .needs = {"odd_size", "released"}},
          [&] { check_errors_reported(small(2 * small_chunk + 1000)); });
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("03_streams", argc, argv);
}
