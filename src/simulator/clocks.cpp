// The clocks that a program reads show virtual time, so that one that times itself reports the simulated times. These
// definitions take the place of the C library's for the whole program, libstdc++'s std::chrono included: course-cc
// links this file into every program for the simulated device, and into nothing else.
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "simulator/barriers.h"
#include "simulator/kernel_threads.hpp"
#include "simulator/ordering/instrumentation.hpp"
#include "simulator/simulated_device.hpp"

namespace {

using simulator::SimulatedDevice;
using simulator::Time;

constexpr long nanoseconds_per_second = 1'000'000'000;

// Each reading takes a little time, as on a real machine; so a loop that polls the clock ends.
constexpr Time reading_cost{25};

// Virtual time starts at a fixed date, so that two runs print the same: 2026-01-01 00:00:00 UTC.
constexpr time_t wall_clock_start = 1'767'225'600;

Time read_virtual_clock() {
    SimulatedDevice& device = SimulatedDevice::instance();
    const std::lock_guard lock(device.mutex());
    const simulator::RecordingPaused paused;
    device.spend(reading_cost);
    return device.host_time();
}

void sleep_for(Time time) {
    SimulatedDevice& device = SimulatedDevice::instance();
    const std::lock_guard lock(device.mutex());
    const simulator::RecordingPaused paused;
    device.spend(time);
}

bool shows_the_date(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

timespec to_timespec(Time time) {
    return {static_cast<time_t>(time.count() / nanoseconds_per_second),
            static_cast<long>(time.count() % nanoseconds_per_second)};
}

Time to_time(const timespec& time) {
    return Time(time.tv_sec * nanoseconds_per_second + time.tv_nsec);
}

bool is_valid(const timespec& time) {
    return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < nanoseconds_per_second;
}

timespec now(clockid_t clock) {
    timespec result = to_timespec(read_virtual_clock());
    result.tv_sec += shows_the_date(clock) ? wall_clock_start : 0;
    return result;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
    *result = now(clock);
    return 0;
}

int gettimeofday(timeval* result, void*) noexcept {
    const timespec time = now(CLOCK_REALTIME);
    *result = {time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

time_t time(time_t* result) noexcept {
    const time_t seconds = now(CLOCK_REALTIME).tv_sec;
    if (result != nullptr) {
        *result = seconds;
    }
    return seconds;
}

// The processor time of a program that waits by polling, as CUDA's default does, is the time that passes. A kernel means
// the device's function of the same name, which counts cycles.
clock_t clock() noexcept {
    if (simulator::kernel_runs_here()) {
        return static_cast<clock_t>(simulator_read_clock());
    }
    return static_cast<clock_t>(read_virtual_clock().count() / (nanoseconds_per_second / CLOCKS_PER_SEC));
}

int nanosleep(const timespec* duration, timespec* remaining) {
    if (!is_valid(*duration)) {
        errno = EINVAL;
        return -1;
    }
    sleep_for(to_time(*duration));
    if (remaining != nullptr) {
        *remaining = {};
    }
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* duration, timespec* remaining) {
    if (!is_valid(*duration)) {
        return EINVAL;
    }
    if ((flags & TIMER_ABSTIME) == 0) {
        return nanosleep(duration, remaining);
    }
    const Time left = to_time(*duration) - to_time(now(clock));
    if (left > Time{}) {
        sleep_for(left);
    }
    return 0;
}

int usleep(useconds_t microseconds) {
    sleep_for(Time(std::int64_t{microseconds} * 1000));
    return 0;
}

unsigned sleep(unsigned seconds) {
    sleep_for(Time(std::int64_t{seconds} * nanoseconds_per_second));
    return 0;
}

}  // extern "C"
