// The virtual-time engine: tasks with dependencies on copy engines, multiprocessors and device memory.
// Knows nothing of CUDA. Time advances only when it is told to, so the same calls give the same times.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include "device/profile.hpp"

namespace simulator {

using Time = std::chrono::nanoseconds;
using TaskId = std::uint64_t;  // from 1; 0 means no task

// What a task occupies while it runs. `none` is a point in a stream (an event, a wait, a free) and takes no time.
enum class Resource { none, copy_to_device, copy_to_host, compute, device_memory, host_function };

// How long a kernel runs when it is alone, and which share of the device it fills (0 < share <= 1).
struct KernelCost {
    Time duration{};
    double share = 1;
};

struct TaskSpec {
    Resource resource = Resource::none;
    std::uint32_t stream = 0;
    int priority = 0;  // kernels: the lower number goes first
    double bytes = 0;                                       // copies: bytes to move
    double bytes_per_second = 0;                            // copies: rate when the other direction is idle
    Time duration{};                                        // device_memory: how long it takes
    std::function<KernelCost()> start = {};                 // called at the virtual start; kernels and host functions return their cost
    std::function<void(Time start, Time end)> finish = {};  // called at the virtual end
};

class Engine {
public:
    explicit Engine(const device::Profile& profile);

    // Adds a task that may start at `not_before` or later, once all of `after` are finished.
    TaskId submit(TaskSpec spec, std::span<const TaskId> after, Time not_before);

    // Processes everything that happens up to and including `time`.
    void advance_to(Time time);

    // Advances until `task` is finished and returns when that was; 0 for no task.
    Time run_until_finished(TaskId task);

    // Advances until nothing is left to do; returns the end of the last task.
    Time run_until_idle();

    bool finished(TaskId task) const { return task == 0 || ends_[task - 1] != unfinished; }

    // The time up to which everything has happened; within a task's start or finish, the time of that.
    Time now() const { return now_; }

    // How many happenings were processed so far: the engine's work, independent of the machine's speed.
    std::uint64_t steps() const { return steps_; }

    // The time of what happens next; nothing when no work is left.
    std::optional<Time> next() const;

    // When `task` ended. Only for finished tasks.
    Time end_of(TaskId task) const { return task == 0 ? Time{} : ends_[task - 1]; }

private:
    static constexpr Time unfinished = std::chrono::nanoseconds(-1);

    struct Task {
        TaskId id = 0;
        TaskSpec spec;
        Time ready{};
        Time begin{};
        std::size_t waits_for = 0;
        std::vector<TaskId> dependents;
        Resource origin = Resource::none;  // the engine whose work ended last before this point
        std::uint32_t origin_stream = 0;
        bool origin_is_small_copy = false;
        std::uint64_t generation = 0;  // of the scheduled end; older ones are void
    };

    struct Happening {
        Time time{};
        std::uint64_t sequence = 0;
        enum class Kind { ready, transfer, end } kind = Kind::ready;
        TaskId task = 0;
        std::uint64_t generation = 0;
        bool operator>(const Happening& other) const {
            return time != other.time ? time > other.time : sequence > other.sequence;
        }
    };

    struct CopyEngine {
        std::set<std::pair<Time, TaskId>> waiting;
        TaskId active = 0;
        bool transferring = false;
        double bytes_left = 0;
        double rate = 0;  // bytes per second now
        Time updated{};
        std::uint32_t last_stream = std::numeric_limits<std::uint32_t>::max();
        bool copied_before = false;
    };

    struct RunningKernel {
        TaskId task = 0;
        double left_ns = 0;
        double share = 1;
        double rate = 1;
        int priority = 0;
    };

    Task& task(TaskId id) { return tasks_[id - first_task_]; }
    CopyEngine& copy_engine(Resource resource);
    void schedule(Time time, Happening::Kind kind, TaskId id, std::uint64_t generation = 0);
    bool step(Time limit);
    void on_ready(Task& ready);
    void on_end(Task& ended);
    void start_copies(CopyEngine& engine);
    void update_copy_rates();
    void add_waiting_kernel(const Task& ready);
    void start_host_function(Task& ready);
    double share_in_use(int priority) const;
    void start_kernels();
    void update_kernel_rates();
    Time latency_between(const Task& before, const Task& after) const;

    device::Profile profile_;
    Time now_{};
    std::uint64_t next_sequence_ = 0;
    std::uint64_t steps_ = 0;
    std::deque<Task> tasks_;  // unfinished ones and those after the first unfinished
    TaskId first_task_ = 1;
    std::vector<Time> ends_;
    std::size_t unfinished_tasks_ = 0;
    Time last_end_{};
    std::priority_queue<Happening, std::vector<Happening>, std::greater<>> happenings_;
    CopyEngine copy_engines_[2];
    std::deque<TaskId> waiting_kernels_;
    std::vector<RunningKernel> running_kernels_;
    Time kernels_updated_{};
    Time host_functions_until_{};  // one thread of the driver runs them all, one after the other
};

}  // namespace simulator
