// The checks of the lab on synchronous copies: one large copy each way, and the host's own work beside the kernel.
#include <algorithm>

#include "checks/host_judgements.hpp"
#include "checks/pipeline_lab.hpp"
#include "checks/trace_judgements.hpp"

namespace {

using checks::Problem;
using device::Time;
using std::chrono::nanoseconds;

constexpr unsigned small_rounds = 100;
constexpr double required_bandwidth = 0.5;     // of large copies: pieces of 4 KiB reach a few percent
constexpr double required_beside = 0.5;        // of the host work; right after the launch it is nearly all
constexpr double required_kernel_work = 0.85;  // of the time that the rounds of all elements take, launch not counted
// Copies of pageable memory vary from one to the next, and with what lies in the host's caches: a kernel and host work
// that are much longer keep them from deciding. Measured on an H200: with 6, the same solution reached 0.80 to 1.14.
constexpr double kernel_per_copy_simulated = 6;
constexpr double kernel_per_copy_gpu = 16;
const checks::SpeedRule speed_rule{.required_share = 0.60, .full_share = 0.85};

constexpr Problem small(std::size_t elements) {
    return {.elements = elements,
            .chunk_elements = 1024,
            .rounds = small_rounds,
            .host_work = std::chrono::microseconds(20)};
}

constexpr Problem odd_size = small(8 * 1024 + 123);

class SyncMemcpy : public checks::PipelineLab {
protected:
    // A chunk is what is measured: all of the data on a GPU, a part on the simulated device, whose times grow with the
    // size. The program itself has no use for it.
    Problem typical() const override {
        Problem problem{.elements = chunk_of(16 * mebibyte, 8 * mebibyte),
                        .chunk_elements = chunk_of(2 * mebibyte, 8 * mebibyte)};
        const auto& one = session().measurement(problem.chunk_elements);
        const double copy_ns = static_cast<double>(one.h2d_pageable_ns + one.d2h_pageable_ns) / 2;
        const double kernel_per_copy = simulated() ? kernel_per_copy_simulated : kernel_per_copy_gpu;
        problem.rounds =
            static_cast<unsigned>(kernel_per_copy * copy_ns / static_cast<double>(one.kernel_ns) * one.rounds);
        const auto kernel_ns = session().measurement(problem.chunk_elements, problem.rounds).kernel_ns;
        problem.host_work = nanoseconds(problem.chunks() * kernel_ns);
        return problem;
    }

    // Of the whole problem, with pageable copies.
    device::StageTimes stages() const {
        const Problem problem = typical();
        const auto& one = session().measurement(problem.chunk_elements, problem.rounds);
        const auto whole = [&](std::uint64_t ns) { return Time(static_cast<double>(problem.chunks() * ns)); };
        return {whole(one.h2d_pageable_ns), whole(one.kernel_ns), whole(one.d2h_pageable_ns)};
    }

    // What can be hidden is the host work beside the kernel, whatever the copies take.
    checks::Attainable bound() const {
        return checks::Attainable::serial_less(
            std::min(stages().kernel, Time(static_cast<double>(typical().host_work.count()))));
    }

    nanoseconds large_copies() const { return std::chrono::duration_cast<nanoseconds>(stages().h2d + stages().d2h); }

    std::optional<checks::Failure> reason_for_slowness(const device::Trace& trace) const {
        const auto copies = checks::judge_copy_bandwidth(trace, typical(), large_copies(), required_bandwidth);
        return copies ? copies : checks::judge_host_work_beside_kernel(trace, required_beside);
    }
};

// 65 of the 100 points are for what this lab teaches: large copies, checked errors, and a host that works meanwhile.
TEST_F(SyncMemcpy, typical_size) {
    judge({.points = 8, .needs = {}}, [&] { check_typical_right(); });
}

TEST_F(SyncMemcpy, odd_size) {
    judge({.points = 3, .needs = {}}, [&] { check_right(odd_size); });
}

TEST_F(SyncMemcpy, one_element) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(1)); });
}

TEST_F(SyncMemcpy, no_elements) {
    judge({.points = 2, .needs = {}}, [&] { check_right(small(0)); });
}

// Two problems in one process, and two runs of each: nothing may be left over from the one before.
TEST_F(SyncMemcpy, second_run) {
    judge({.points = 3, .needs = {"odd_size"}}, [&] { check_right(odd_size, 2, 2); });
}

TEST_F(SyncMemcpy, ordered_accesses) {
    judge({.points = 5, .needs = {}}, [&] { check_ordered(odd_size); });
}

TEST_F(SyncMemcpy, output_complete) {
    judge({.points = 2, .needs = {}}, [&] { check_complete(odd_size); });
}

TEST_F(SyncMemcpy, kernel_work) {
    judge({.points = 3, .needs = {"typical_size"}}, [&] { check_kernel_work(required_kernel_work); });
}

// In the first run and in a later one, and also when there is nothing for the device to do.
TEST_F(SyncMemcpy, host_work_done) {
    judge({.points = 4, .needs = {"typical_size", "odd_size", "no_elements"}}, [&] {
        require(checks::judge_host_work_done(typical_traced().host_work, typical()));
        require(checks::judge_host_work_traced(typical_trace(), typical()));
        require(checks::judge_host_work_done(solve(odd_size, 1, 2).host_work, odd_size));
        require(checks::judge_host_work_done(solve(small(0)).host_work, small(0)));
    });
}

TEST_F(SyncMemcpy, copy_bandwidth) {
    judge({.points = 20, .needs = {"typical_size"}}, [&] {
        require(checks::judge_copy_bandwidth(typical_trace(), typical(), large_copies(), required_bandwidth));
    });
}

TEST_F(SyncMemcpy, host_work_overlap) {
    judge({.points = 10, .needs = {"typical_size", "kernel_work", "host_work_done"}},
          [&] { require(checks::judge_host_work_beside_kernel(typical_trace(), required_beside)); });
}

TEST_F(SyncMemcpy, speed) {
    constexpr double points = 20;
    judge({.points = points, .needs = {"typical_size", "output_complete", "kernel_work", "host_work_done"}}, [&] {
        check_speed(points, speed_rule, bound(),
                    [&](const device::Trace& trace) { return reason_for_slowness(trace); });
    });
}

TEST_F(SyncMemcpy, other_devices) {
    judge({.points = 5, .needs = {"speed"}}, [&] {
        check_other_devices(
            speed_rule, [&] { return bound(); },
            [&](const device::Trace& trace) { return reason_for_slowness(trace); });
    });
}

TEST_F(SyncMemcpy, released) {
    judge({.points = 3, .needs = {}}, [&] { check_released(odd_size); });
}

TEST_F(SyncMemcpy, errors_reported) {
    judge({.points = 10, .needs = {"odd_size", "released"}}, [&] { check_errors_reported(odd_size); });
}

}  // namespace

int main(int argc, char** argv) {
    return checks::main_of_lab("01_sync_memcpy", argc, argv);
}
