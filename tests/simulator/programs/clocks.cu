// Programs that time themselves, each by another clock: every one prints the milliseconds that it saw.
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <thread>

#include "cases.h"
#include "resources.h"

namespace {

using namespace cases;
using std::chrono::duration;
using Milliseconds = duration<double, std::milli>;

constexpr std::size_t bytes = 64 * mib;

void copy_and_wait(unsigned* device, unsigned* host) {
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
    CALL(cudaDeviceSynchronize());
}

// What `clock`, in milliseconds, says of one copy of 64 MiB.
void time_copy(const std::function<double()>& clock) {
    const DeviceMemory device(bytes);
    const PinnedMemory host(bytes);
    copy_and_wait(device, host);
    const double begin = clock();
    copy_and_wait(device, host);
    std::printf("%.4f\n", clock() - begin);
}

template <typename Clock>
double chrono_clock() {
    return Milliseconds(Clock::now().time_since_epoch()).count();
}

void steady_clock() { time_copy(chrono_clock<std::chrono::steady_clock>); }
void system_clock() { time_copy(chrono_clock<std::chrono::system_clock>); }
void high_resolution_clock() { time_copy(chrono_clock<std::chrono::high_resolution_clock>); }

void posix_clock() {
    time_copy([] {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    });
}

void time_of_day() {
    time_copy([] {
        timeval now{};
        gettimeofday(&now, nullptr);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_usec) / 1e3;
    });
}

void processor_time() {
    time_copy([] { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; });
}

// An hour of virtual sleep takes no real time.
void sleeping() {
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::hours(1));
    usleep(500'000);
    sleep(2);
    std::this_thread::sleep_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(250));
    std::printf("%.4f\n", Milliseconds(std::chrono::steady_clock::now() - begin).count());
}

void polling() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    long readings = 0;
    while (std::chrono::steady_clock::now() < end) {
        ++readings;
    }
    std::printf("%ld\n", readings);
}

// Copies go on while the host polls a clock.
void polling_beside_a_copy() {
    const DeviceMemory device(bytes);
    const PinnedMemory host(bytes);
    CALL(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    while (std::chrono::steady_clock::now() < end) {
    }
    std::printf("%d\n", cudaStreamQuery(nullptr) == cudaSuccess);
}

void the_date() {
    std::printf("%lld\n", static_cast<long long>(std::time(nullptr)));
}

#define CASE(function) {#function, function}
constexpr Case all_cases[] = {
    CASE(steady_clock),   CASE(system_clock), CASE(high_resolution_clock), CASE(posix_clock),           CASE(time_of_day),
    CASE(processor_time), CASE(sleeping),     CASE(polling),               CASE(polling_beside_a_copy), CASE(the_date),
};

}  // namespace

int main(int argc, char** argv) { return run_one(all_cases, argc, argv); }
