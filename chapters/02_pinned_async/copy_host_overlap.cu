// Host work beside a copy: with cudaMemcpyAsync the two go on at the same time, with cudaMemcpy one after the other.
#include "experiment/experiment.h"

using namespace experiment;

constexpr std::size_t bytes = 64 * mib;

void measure(Report& report) {
    const Memory device = Memory::device(bytes);
    const Memory pinned = Memory::pinned(bytes);
    const Stream stream;
    const double copy_us = median_of([&] {
        return host_us([&] { check(cudaMemcpy(device.data(), pinned.data(), bytes, cudaMemcpyHostToDevice)); });
    });
    const double synchronous_us = median_of([&] {
        return host_us([&] {
            check(cudaMemcpy(device.data(), pinned.data(), bytes, cudaMemcpyHostToDevice));
            work_on_host(copy_us);
        });
    });
    const double asynchronous_us = median_of([&] {
        return host_us([&] {
            check(cudaMemcpyAsync(device.data(), pinned.data(), bytes, cudaMemcpyHostToDevice, stream));
            work_on_host(copy_us);
            stream.wait();
        });
    });
    Table& table = report.table("A copy of 64 MiB and host work that takes as long",
                                {{"call"}, {"copy", "us"}, {"host work", "us"}, {"both", "us"}});
    table.row({"cudaMemcpy", copy_us, copy_us, synchronous_us});
    table.row({"cudaMemcpyAsync", copy_us, copy_us, asynchronous_us});
    report.claim("async-copies-in-background", below(asynchronous_us / (2 * copy_us), 0.65),
                 "cudaMemcpyAsync: both / sum of the two");
    report.claim("async-copies-in-background", above(synchronous_us / (2 * copy_us), 0.9),
                 "cudaMemcpy, for comparison: both / sum of the two");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
