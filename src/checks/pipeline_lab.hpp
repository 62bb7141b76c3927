// The fixture of a lab whose program is a pipeline from host memory over the device and back: solves problems on the
// session's device, keeps what the typical run showed, and holds the checks that every lab has.
//
//   class Streams : public checks::PipelineLab {
//       Problem typical() const override { ... }
//   };
//   TEST_F(Streams, one_element) { judge({.points = 2, .needs = {}}, [&] { check_right(small(1)); }); }
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "checks/lab_test.hpp"
#include "checks/paired_runs.hpp"
#include "checks/session.hpp"
#include "device/pipeline_bounds.hpp"
#include "device/trace.hpp"

namespace checks {

class PipelineLab : public LabTest {
protected:
    static constexpr std::size_t mebibyte = std::size_t{1} << 20;

    // The problem that overlap and speed are judged by. Its sizes may depend on the device, and its times on what
    // session().measurement() says of it; the same at every call.
    virtual Problem typical() const = 0;

    static bool simulated() { return session().options().simulated; }

    // Elements of a chunk of so many bytes on the simulated device and on a GPU.
    static std::size_t chunk_of(std::size_t simulated_bytes, std::size_t gpu_bytes) {
        return (simulated() ? simulated_bytes : gpu_bytes) / sizeof(Element);
    }

    // Solves a problem with the student's program; traced on the simulated device, where that changes no time.
    static Solved solve(const Problem& problem, int cycles = 1, int runs = 1);

    // The traced run of the typical problem, made once; its trace is the one that people see.
    const Solved& typical_traced() const;
    const device::Trace& typical_trace() const { return *typical_traced().trace; }

    // The student's program for the simulated device; the check is skipped when there is none.
    static std::filesystem::path simulated_program();

    // Findings of all runs on the simulated device so far, and of one more of this problem, `cycles` times.
    static const std::vector<device::Finding>& findings_with(const Problem& problem, int cycles);

    // --- bodies of checks ---

    // Wrong values have a cause where the simulated device saw one: run() returned too early, or nothing orders two
    // accesses.
    static void require_right(const Solved& solved);
    static void check_right(const Problem& problem, int cycles = 1, int runs = 1) {
        require_right(solve(problem, cycles, runs));
    }
    void check_typical_right() const;

    static void check_ordered(const Problem& problem);
    static void check_released(const Problem& problem);
    static void check_errors_reported(const Problem& problem);

    // run() waits for what it issued: in the typical run, and on the simulated device in that of `other` too, where
    // another stream is the last to finish.
    void check_complete(const Problem& other) const;

    // How long the kernels of a problem work, launches not counted; its chunks are full ones.
    static std::chrono::nanoseconds kernel_work_of(const Problem& problem);

    // Kernels of the typical run worked for at least `required` of the time that the rounds of all elements take,
    // measured in chunks of `chunk_elements` (0: of the problem's).
    void check_kernel_work(double required, std::size_t chunk_elements = 0) const;

    // Measures the typical problem against `bound` and awards up to `points`. When it is too slow, `explain` may know a
    // reason that says more than the figures.
    using Explain = std::function<std::optional<Failure>(const device::Trace& trace)>;
    void check_speed(double points, const SpeedRule& rule, const Attainable& bound, const Explain& explain);

    // The typical problem reaches rule.required_share of what is attainable on every other simulated device too;
    // `bound` gives that device's attainable time. Otherwise too_slow_elsewhere, or what `explain` says.
    using Bound = std::function<Attainable()>;
    void check_other_devices(const SpeedRule& rule, const Bound& bound, const Explain& explain);

    // Calls `body` for each other profile, with session() and all that is kept of the typical run being that device's.
    void on_other_devices(const std::function<void()>& body);

private:
    static inline std::optional<Solved> typical_traced_;
};

}  // namespace checks
