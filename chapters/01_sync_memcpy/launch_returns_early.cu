// A launch returns before its kernel has run; the synchronous copy behind it waits. So does the whole of a small
// program: copy in, kernel, copy out, without a wait of its own, and the results are right.
#include "experiment/experiment.h"

using namespace experiment;

__global__ void twice(unsigned* values, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] *= 2;
    }
}

// How many of `count` values come back doubled.
unsigned right_values(unsigned count) {
    const Memory host = Memory::pageable(count * sizeof(unsigned));
    const Memory device = Memory::device(host.bytes());
    unsigned* const values = host.data<unsigned>();
    for (unsigned i = 0; i < count; ++i) {
        values[i] = i + 1;
    }
    check(cudaMemcpy(device.data(), values, host.bytes(), cudaMemcpyHostToDevice));
    twice<<<(count + 255) / 256, 256>>>(device.data<unsigned>(), count);
    check(cudaGetLastError());
    check(cudaMemcpy(values, device.data(), host.bytes(), cudaMemcpyDeviceToHost));
    unsigned right = 0;
    for (unsigned i = 0; i < count; ++i) {
        right += values[i] == 2 * (i + 1) ? 1 : 0;
    }
    return right;
}

void measure(Report& report) {
    const BusyKernel kernel(1000);
    const Memory device = Memory::device(4 * kib);
    const Memory pinned = Memory::pinned(4 * kib);

    const CallAndWhole launch = time_call_and_whole([&] { kernel.launch(); }, [&] { check(cudaDeviceSynchronize()); });
    const double copy_us = median_of([&] {
        kernel.launch();
        return host_us([&] { check(cudaMemcpy(pinned.data(), device.data(), 4 * kib, cudaMemcpyDeviceToHost)); });
    });
    Table& table =
        report.table("A kernel and a synchronous copy behind it", {{"call"}, {"host waits", "us"}, {"kernel", "us"}});
    table.row({"launch", launch.call_us, kernel.us()});
    table.row({"cudaMemcpy D2H, 4 KiB", copy_us, kernel.us()});

    constexpr unsigned count = choose(20'000u, 1'000'000u);
    const unsigned right = right_values(count);
    report.claim("launch-returns-at-once", below(launch.share(), 0.1), "launch: call / kernel");
    report.claim("sync-copy-waits-for-the-kernel", above(copy_us / kernel.us(), 0.9), "cudaMemcpy D2H: call / kernel");
    report.claim("sync-copy-moves-the-data", holds(right == count),
                 shown(right) + " of " + shown(count) + " values are right");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
