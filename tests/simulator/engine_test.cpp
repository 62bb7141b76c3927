// The virtual-time engine alone, with round figures so that every expected time can be worked out by hand.
#include "simulator/engine.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace simulator {
namespace {

using namespace std::chrono_literals;

constexpr double bytes_per_microsecond = 1e6;  // as a rate per second
constexpr Time copy_overhead = 3us;
constexpr Time stream_switch = 500ns;
constexpr Time dependency_latency = 4us;
constexpr Time small_copy_dependency_latency = 3us;

// One direction alone moves 10 bytes per nanosecond; both together 12, so 6 each.
device::Profile round_profile(unsigned copy_engines = 2) {
    device::Profile profile;
    profile.copy_engines = copy_engines;
    profile.both_directions_bytes_per_second = 12'000 * bytes_per_microsecond;
    profile.host_to_device.copy_overhead = profile.device_to_host.copy_overhead = copy_overhead;
    profile.stream_switch = stream_switch;
    profile.dependency_latency = profile.kernel_dependency_latency = dependency_latency;
    profile.small_copy_dependency_latency = small_copy_dependency_latency;
    return profile;
}

struct Span {
    Time start{};
    Time end{};
    bool operator==(const Span&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const Span& span) {
    return stream << span.start.count() << " ns to " << span.end.count() << " ns";
}

// Submits tasks and remembers when they ran.
class Schedule {
public:
    explicit Schedule(const device::Profile& profile = round_profile()) : engine(profile) {}

    TaskId copy(Resource direction, std::uint32_t stream, double bytes, std::initializer_list<TaskId> after = {},
                Time not_before = {}) {
        return add({.resource = direction, .stream = stream, .bytes = bytes, .bytes_per_second = 1e10}, after,
                   not_before);
    }

    TaskId kernel(std::uint32_t stream, KernelCost cost, std::initializer_list<TaskId> after = {},
                  Time not_before = {}) {
        TaskSpec spec{.resource = Resource::compute, .stream = stream};
        spec.start = [cost] { return cost; };
        return add(std::move(spec), after, not_before);
    }

    TaskId on_device_memory(std::uint32_t stream, Time duration, std::initializer_list<TaskId> after = {}) {
        return add({.resource = Resource::device_memory, .stream = stream, .duration = duration}, after, {});
    }

    TaskId host_function(std::uint32_t stream, Time duration, std::initializer_list<TaskId> after = {}) {
        TaskSpec spec{.resource = Resource::host_function, .stream = stream};
        spec.start = [duration] { return KernelCost{.duration = duration}; };
        return add(std::move(spec), after, {});
    }

    TaskId marker(std::uint32_t stream, std::initializer_list<TaskId> after = {}, Time not_before = {}) {
        return add({.resource = Resource::none, .stream = stream}, after, not_before);
    }

    Span operator[](TaskId task) const { return spans_.at(task - 1); }
    const std::vector<Span>& spans() const { return spans_; }

    Engine engine;

private:
    TaskId add(TaskSpec spec, std::initializer_list<TaskId> after, Time not_before) {
        const std::size_t index = spans_.size();
        spans_.emplace_back();
        spec.finish = [this, index](Time start, Time end) { spans_[index] = {start, end}; };
        return engine.submit(std::move(spec), after, not_before);
    }

    std::vector<Span> spans_;
};

constexpr auto to_device = Resource::copy_to_device;
constexpr auto to_host = Resource::copy_to_host;

TEST(Engine, a_copy_takes_its_overhead_and_its_bytes) {
    Schedule schedule;
    const TaskId copy = schedule.copy(to_device, 1, 100'000, {}, 7us);
    EXPECT_EQ(schedule.engine.run_until_finished(copy), 20us);
    EXPECT_EQ(schedule[copy], (Span{7us, 20us}));
    EXPECT_EQ(schedule.engine.end_of(copy), 20us);
}

TEST(Engine, a_fraction_of_a_nanosecond_counts_as_one) {
    Schedule schedule;
    const TaskId copy = schedule.copy(to_device, 1, 1);
    EXPECT_EQ(schedule.engine.run_until_finished(copy), copy_overhead + 1ns);
}

TEST(Engine, both_directions_share_the_link_while_both_are_busy) {
    Schedule schedule;
    const TaskId in = schedule.copy(to_device, 1, 120'000);
    const TaskId out = schedule.copy(to_host, 2, 60'000);
    schedule.engine.run_until_idle();
    // Both at 6 bytes/ns for 10 us, which ends the shorter; then the other moves its last 60 000 bytes alone.
    EXPECT_EQ(schedule[out], (Span{0us, copy_overhead + 10us}));
    EXPECT_EQ(schedule[in], (Span{0us, copy_overhead + 10us + 6us}));
}

TEST(Engine, a_copy_slows_down_when_the_other_direction_starts) {
    Schedule schedule;
    const TaskId in = schedule.copy(to_device, 1, 100'000);
    const TaskId out = schedule.copy(to_host, 2, 60'000, {}, 4us);
    schedule.engine.run_until_idle();
    // Alone from 3 to 4 us: 10 000 bytes. Shared until 17 us: 78 000 and 60 000. The last 12 000 alone.
    EXPECT_EQ(schedule[in], (Span{0us, 18200ns}));
    EXPECT_EQ(schedule[out], (Span{4us, 17us}));
}

TEST(Engine, the_overhead_of_a_copy_slows_the_other_direction_too) {
    Schedule schedule;
    const TaskId in = schedule.copy(to_device, 1, 30'000);
    const TaskId out = schedule.copy(to_host, 2, 60'000, {}, 3us);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[in].end, 8us);
    EXPECT_EQ(schedule[out].end, 12800ns);
}

TEST(Engine, a_copy_that_begins_while_the_other_direction_is_busy_has_more_overhead) {
    device::Profile profile = round_profile();
    profile.both_directions_overhead = 2us;
    Schedule schedule(profile);
    const TaskId in = schedule.copy(to_device, 1, 120'000);
    const TaskId out = schedule.copy(to_host, 2, 60'000);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[out], (Span{0us, copy_overhead + 2us + 10us}));
    EXPECT_GT(schedule[in].end, schedule[out].end);
}

TEST(Engine, each_direction_has_its_own_overhead) {
    device::Profile profile = round_profile();
    profile.device_to_host.copy_overhead = 1us;
    Schedule schedule(profile);
    const TaskId in = schedule.copy(to_device, 1, 70'000);
    const TaskId out = schedule.copy(to_host, 1, 70'000, {in});
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[in].end, copy_overhead + 7us);
    EXPECT_EQ(schedule[out].end, schedule[in].end + dependency_latency + 1us + 7us);
}

TEST(Engine, stays_with_a_stream_while_that_has_copies) {
    Schedule schedule;
    const TaskId first = schedule.copy(to_device, 1, 10'000);
    const TaskId other_stream = schedule.copy(to_device, 2, 10'000);
    const TaskId second = schedule.copy(to_device, 1, 10'000, {first});
    const TaskId third = schedule.copy(to_device, 1, 10'000, {second});
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[second].start, schedule[first].end);
    EXPECT_EQ(schedule[third].start, schedule[second].end);
    EXPECT_EQ(schedule[other_stream].start, schedule[third].end);
}

TEST(Engine, one_direction_serves_one_copy_at_a_time_in_order_of_arrival) {
    Schedule schedule;
    const TaskId first = schedule.copy(to_device, 1, 10'000);
    const TaskId last = schedule.copy(to_device, 2, 10'000, {}, 2us);
    const TaskId second = schedule.copy(to_device, 1, 10'000, {}, 1us);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[first], (Span{0us, 4us}));
    EXPECT_EQ(schedule[second], (Span{4us, 8us}));
    EXPECT_EQ(schedule[last], (Span{8us, 12us + stream_switch}));  // the engine turns to another stream
}

TEST(Engine, a_single_copy_engine_serializes_both_directions_at_full_speed) {
    Schedule schedule(round_profile(1));
    const TaskId in = schedule.copy(to_device, 1, 100'000);
    const TaskId out = schedule.copy(to_host, 1, 100'000);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[in], (Span{0us, 13us}));
    EXPECT_EQ(schedule[out], (Span{13us, 26us}));
}

TEST(Engine, what_comes_after_starts_at_the_end_of_what_it_waits_for) {
    Schedule schedule;
    const TaskId first = schedule.copy(to_device, 1, 10'000);
    const TaskId second = schedule.copy(to_device, 1, 10'000, {first});
    const TaskId unrelated = schedule.kernel(2, {.duration = 1us, .share = 1});
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[second].start, schedule[first].end);
    EXPECT_EQ(schedule[unrelated].start, 0us);
}

TEST(Engine, a_dependency_costs_latency_between_engines_and_none_within_a_queue) {
    Schedule schedule;
    const TaskId copy = schedule.copy(to_device, 1, 70'000);
    const TaskId kernel = schedule.kernel(1, {.duration = 5us, .share = 1}, {copy});
    const TaskId next_kernel = schedule.kernel(1, {.duration = 5us, .share = 1}, {kernel});
    const TaskId other_stream = schedule.kernel(2, {.duration = 5us, .share = 1}, {next_kernel});
    const TaskId out = schedule.copy(to_host, 1, 70'000, {next_kernel});
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[copy].end, 10us);
    EXPECT_EQ(schedule[kernel].start, 10us + dependency_latency);
    EXPECT_EQ(schedule[next_kernel].start, schedule[kernel].end);
    EXPECT_EQ(schedule[other_stream].start, schedule[next_kernel].end + dependency_latency);
    EXPECT_EQ(schedule[out].start, schedule[next_kernel].end + dependency_latency);
}

TEST(Engine, a_dependency_on_a_small_copy_or_of_one_costs_less_latency) {
    Schedule schedule;
    const TaskId small = schedule.copy(to_device, 1, 20'000);
    const TaskId recorded = schedule.marker(1, {small});
    const TaskId kernel = schedule.kernel(2, {.duration = 5us, .share = 1}, {recorded});
    const TaskId small_out = schedule.copy(to_host, 2, 20'000, {kernel});
    const TaskId large_out = schedule.copy(to_host, 2, 70'000, {small_out});
    const TaskId last = schedule.kernel(2, {.duration = 5us, .share = 1}, {large_out});
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[kernel].start, schedule[small].end + small_copy_dependency_latency);
    EXPECT_EQ(schedule[small_out].start, schedule[kernel].end + small_copy_dependency_latency);
    EXPECT_EQ(schedule[large_out].start, schedule[small_out].end);
    EXPECT_EQ(schedule[last].start, schedule[large_out].end + dependency_latency);
}

TEST(Engine, latency_depends_on_what_waits_for_what) {
    device::Profile profile = round_profile();
    profile.kernel_dependency_latency = 2us;
    profile.host_function_latency = 7us;
    Schedule schedule(profile);
    const TaskId kernel = schedule.kernel(1, {.duration = 5us, .share = 1});
    const TaskId other_stream = schedule.kernel(2, {.duration = 5us, .share = 1}, {kernel});
    const TaskId memset = schedule.on_device_memory(2, 1us, {other_stream});
    const TaskId called = schedule.host_function(2, 1us, {memset});
    const TaskId called_next = schedule.host_function(2, 1us, {called});
    const TaskId last = schedule.kernel(2, {.duration = 5us, .share = 1}, {called_next});
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[other_stream].start, schedule[kernel].end + 2us);
    EXPECT_EQ(schedule[memset].start, schedule[other_stream].end);
    EXPECT_EQ(schedule[called].start, schedule[memset].end + 7us);
    EXPECT_EQ(schedule[called_next].start, schedule[called].end);
    EXPECT_EQ(schedule[last].start, schedule[called_next].end + 7us);
}

TEST(Engine, work_that_was_over_before_costs_no_latency) {
    Schedule schedule;
    const TaskId copy = schedule.copy(to_device, 1, 70'000);
    schedule.engine.advance_to(20us);
    const TaskId kernel = schedule.kernel(1, {.duration = 5us, .share = 1}, {copy}, 20us);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[kernel].start, 20us);
}

TEST(Engine, markers_take_no_time_and_hand_latency_on) {
    Schedule schedule;
    const TaskId copy = schedule.copy(to_device, 1, 70'000);
    const TaskId recorded = schedule.marker(1, {copy});
    const TaskId waited = schedule.marker(2, {recorded});
    const TaskId kernel = schedule.kernel(2, {.duration = 5us, .share = 1}, {waited});
    const TaskId copy_after_marker = schedule.copy(to_device, 1, 10'000, {recorded});
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[recorded], (Span{10us, 10us}));
    EXPECT_EQ(schedule[waited], (Span{10us, 10us}));
    EXPECT_EQ(schedule[kernel].start, 10us + dependency_latency);
    EXPECT_EQ(schedule[copy_after_marker].start, 10us);
}

TEST(Engine, a_marker_of_an_idle_stream_ends_when_it_is_submitted) {
    Schedule schedule;
    const TaskId marker = schedule.marker(1, {}, 3us);
    EXPECT_FALSE(schedule.engine.finished(marker));
    EXPECT_EQ(schedule.engine.run_until_finished(marker), 3us);
}

TEST(Engine, small_kernels_run_at_the_same_time) {
    Schedule schedule;
    const TaskId first = schedule.kernel(1, {.duration = 10us, .share = 0.5});
    const TaskId second = schedule.kernel(2, {.duration = 8us, .share = 0.5}, {}, 2us);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[first], (Span{0us, 10us}));
    EXPECT_EQ(schedule[second], (Span{2us, 10us}));
}

TEST(Engine, large_kernels_run_one_after_the_other) {
    Schedule schedule;
    const TaskId first = schedule.kernel(1, {.duration = 10us, .share = 1});
    const TaskId second = schedule.kernel(2, {.duration = 10us, .share = 1}, {}, 1us);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[first], (Span{0us, 10us}));
    EXPECT_EQ(schedule[second], (Span{10us, 20us}));
}

TEST(Engine, a_kernel_makes_do_with_the_share_that_is_left) {
    Schedule schedule;
    const TaskId first = schedule.kernel(1, {.duration = 12us, .share = 0.75});
    const TaskId second = schedule.kernel(2, {.duration = 10us, .share = 0.5});
    schedule.engine.run_until_idle();
    // A quarter of the device is half of what the second can fill: 6 us of its work in 12 us, the last 4 us at full
    // speed.
    EXPECT_EQ(schedule[first], (Span{0us, 12us}));
    EXPECT_EQ(schedule[second], (Span{0us, 16us}));
}

TEST(Engine, kernels_wait_in_order_when_the_device_is_full) {
    Schedule schedule;
    const TaskId first = schedule.kernel(1, {.duration = 10us, .share = 1});
    const TaskId large = schedule.kernel(2, {.duration = 10us, .share = 1}, {}, 1us);
    const TaskId small = schedule.kernel(3, {.duration = 1us, .share = 0.01}, {}, 2us);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[large].start, schedule[first].end);
    EXPECT_EQ(schedule[small].start, schedule[large].end);
}

TEST(Engine, device_memory_works_beside_kernels_and_copies) {
    Schedule schedule;
    const TaskId kernel = schedule.kernel(1, {.duration = 10us, .share = 1});
    const TaskId fill = schedule.on_device_memory(2, 5us);
    const TaskId copy = schedule.copy(to_device, 3, 50'000);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[kernel].end, 10us);
    EXPECT_EQ(schedule[fill].end, 5us);
    EXPECT_EQ(schedule[copy].end, 8us);
}

TEST(Engine, start_is_called_at_the_virtual_start_and_finish_at_the_end) {
    Engine engine(round_profile());
    std::vector<std::string> seen;
    TaskSpec spec{.resource = Resource::copy_to_device, .stream = 1, .bytes = 10'000, .bytes_per_second = 1e10};
    spec.start = [&] {
        seen.emplace_back("start");
        return KernelCost{};
    };
    spec.finish = [&](Time, Time) { seen.emplace_back("finish"); };
    engine.submit(std::move(spec), {}, 2us);
    engine.advance_to(1us);
    EXPECT_TRUE(seen.empty());
    engine.advance_to(2us);
    EXPECT_EQ(seen, (std::vector<std::string>{"start"}));
    engine.advance_to(5us);
    EXPECT_EQ(seen.size(), 1U);
    engine.advance_to(6us);
    EXPECT_EQ(seen, (std::vector<std::string>{"start", "finish"}));
}

TEST(Engine, advancing_goes_no_further_than_asked) {
    Schedule schedule;
    const TaskId copy = schedule.copy(to_device, 1, 100'000);
    schedule.engine.advance_to(13us - 1ns);
    EXPECT_FALSE(schedule.engine.finished(copy));
    schedule.engine.advance_to(13us);
    EXPECT_TRUE(schedule.engine.finished(copy));
}

TEST(Engine, time_never_runs_backwards) {
    Schedule schedule;
    schedule.engine.advance_to(50us);
    const TaskId late = schedule.copy(to_device, 1, 10'000, {}, 10us);
    schedule.engine.run_until_idle();
    EXPECT_EQ(schedule[late].start, 50us);
}

TEST(Engine, running_until_idle_gives_the_end_of_the_last_task) {
    Schedule schedule;
    EXPECT_EQ(schedule.engine.run_until_idle(), 0us);
    schedule.kernel(1, {.duration = 30us, .share = 1});
    schedule.copy(to_device, 2, 10'000);
    EXPECT_EQ(schedule.engine.run_until_idle(), 30us);
    EXPECT_EQ(schedule.engine.run_until_idle(), 30us);
}

TEST(Engine, no_task_is_always_finished) {
    Schedule schedule;
    EXPECT_TRUE(schedule.engine.finished(0));
    EXPECT_EQ(schedule.engine.run_until_finished(0), 0us);
    const TaskId copy = schedule.copy(to_device, 1, 10'000, {0});
    EXPECT_EQ(schedule.engine.run_until_finished(copy), 4us);
}

// Copies, kernels, fills and markers in `streams` streams, each after the last of its stream and sometimes of another.
void submit_pipeline(Schedule& schedule, std::uint32_t streams, std::size_t tasks) {
    std::mt19937 random(20260415);
    std::vector<TaskId> last(streams, 0);
    for (std::size_t i = 0; i < tasks; ++i) {
        const auto stream = static_cast<std::uint32_t>(random() % streams);
        const TaskId before = last[stream];
        const TaskId other = random() % 4 == 0 ? last[random() % streams] : 0;
        const Time not_before(static_cast<std::int64_t>(i) * 100);
        switch (random() % 4) {
            case 0:
                last[stream] = schedule.copy(random() % 2 == 0 ? to_device : to_host, stream,
                                             static_cast<double>(random() % 50'000 + 1), {before, other}, not_before);
                break;
            case 1:
                last[stream] =
                    schedule.kernel(stream, {Time(random() % 5000), 1.0 / static_cast<double>(random() % 8 + 1)},
                                    {before, other}, not_before);
                break;
            case 2:
                last[stream] = schedule.on_device_memory(stream, Time(random() % 2000), {before, other});
                break;
            default:
                last[stream] = schedule.marker(stream, {before, other}, not_before);
        }
    }
}

TEST(Engine, the_same_submissions_give_the_same_times) {
    Schedule first;
    Schedule second;
    submit_pipeline(first, 8, 5000);
    submit_pipeline(second, 8, 5000);
    first.engine.run_until_idle();
    second.engine.run_until_idle();
    EXPECT_EQ(first.spans(), second.spans());
}

TEST(Engine, looking_at_the_time_in_between_changes_nothing) {
    Schedule at_once;
    Schedule in_steps;
    submit_pipeline(at_once, 5, 2000);
    submit_pipeline(in_steps, 5, 2000);
    const Time end = at_once.engine.run_until_idle();
    for (Time now{}; now <= end; now += 777ns) {
        in_steps.engine.advance_to(now);
    }
    in_steps.engine.run_until_idle();
    EXPECT_EQ(at_once.spans(), in_steps.spans());
}

TEST(Engine, every_task_waits_for_those_before_it) {
    Schedule schedule;
    std::mt19937 random(7);
    std::vector<std::pair<TaskId, TaskId>> order;
    for (TaskId task = 1; task <= 500; ++task) {
        const TaskId before = task == 1 ? 0 : random() % (task - 1) + 1;
        const auto stream = static_cast<std::uint32_t>(random() % 4);
        const TaskId added = random() % 2 == 0 ? schedule.copy(to_host, stream, 1000, {before})
                                               : schedule.kernel(stream, {.duration = 1us, .share = 0.3}, {before});
        ASSERT_EQ(added, task);
        if (before != 0) {
            order.emplace_back(before, task);
        }
    }
    schedule.engine.run_until_idle();
    for (const auto& [before, after] : order) {
        EXPECT_GE(schedule[after].start, schedule[before].end) << before << " before " << after;
    }
}

TEST(Engine, the_work_for_many_tasks_grows_in_proportion) {
    const auto steps_for = [](std::size_t tasks) {
        Schedule schedule;
        submit_pipeline(schedule, 8, tasks);
        schedule.engine.run_until_idle();
        return static_cast<double>(schedule.engine.steps());
    };
    const double few = steps_for(10'000);
    const double many = steps_for(100'000);
    EXPECT_LT(many, 12 * few);
    EXPECT_LT(many, 10.0 * 100'000);  // a handful of happenings for each task
    EXPECT_GE(many, 100'000);
}

}  // namespace
}  // namespace simulator
