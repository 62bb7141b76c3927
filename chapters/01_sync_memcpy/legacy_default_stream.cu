// The legacy default stream: an operation in it waits for all blocking streams, and they wait for it. Streams made with
// cudaStreamNonBlocking are exempt.
#include "experiment/experiment.h"

using namespace experiment;

// A kernel in one stream, one without a stream, one in another stream: their time in units of one kernel.
double kernels_in_a_row(const BusyKernel& kernel, unsigned flags) {
    const Stream first(flags), second(flags);
    const double us = median_of([&] {
        return host_us([&] {
            kernel.launch(first);
            kernel.launch();
            kernel.launch(second);
            check(cudaDeviceSynchronize());
        });
    });
    return us / kernel.us();
}

// How long cudaMemcpy lasts, in units of one kernel, when that kernel was launched into a stream of this kind before.
double copy_behind_kernel(const BusyKernel& kernel, unsigned flags, const Memory& device, const Memory& pinned) {
    const Stream stream(flags);
    const double us = median_of([&] {
        kernel.launch(stream);
        const double call =
            host_us([&] { check(cudaMemcpy(device.data(), pinned.data(), pinned.bytes(), cudaMemcpyHostToDevice)); });
        stream.wait();
        return call;
    });
    return us / kernel.us();
}

double two_without_a_stream(const BusyKernel& kernel) {
    const double us = median_of([&] {
        return host_us([&] {
            kernel.launch();
            kernel.launch();
            check(cudaDeviceSynchronize());
        });
    });
    return us / kernel.us();
}

void measure(Report& report) {
    const BusyKernel kernel(2000);
    const Memory device = Memory::device(1 * mib);
    const Memory pinned = Memory::pinned(1 * mib);

    const double blocking = kernels_in_a_row(kernel, cudaStreamDefault);
    const double non_blocking = kernels_in_a_row(kernel, cudaStreamNonBlocking);
    const double copy_blocking = copy_behind_kernel(kernel, cudaStreamDefault, device, pinned);
    const double copy_non_blocking = copy_behind_kernel(kernel, cudaStreamNonBlocking, device, pinned);
    const double both = two_without_a_stream(kernel);

    Table& table = report.table("Times in units of one kernel", {{"what"}, {"streams"}, {"time", "kernels"}});
    table.row({"kernel, kernel without a stream, kernel", "blocking", blocking});
    table.row({"kernel, kernel without a stream, kernel", "non-blocking", non_blocking});
    table.row({"cudaMemcpy behind a kernel", "blocking", copy_blocking});
    table.row({"cudaMemcpy behind a kernel", "non-blocking", copy_non_blocking});
    table.row({"two kernels without a stream", "default", both});

    report.claim("default-stream-synchronizes", above(blocking, 2.5), "three kernels, blocking streams, in kernels");
    report.claim("default-stream-synchronizes", above(non_blocking, 2.5),
                 "three kernels, non-blocking streams, in kernels");
    report.claim("default-stream-costs-speed", above(blocking / non_blocking, 1.5),
                 "three kernels: time in blocking / in non-blocking streams");
    report.claim("sync-copy-in-default-stream", above(copy_blocking, 0.9),
                 "cudaMemcpy behind a blocking stream, in kernels");
    report.claim("sync-copy-in-default-stream", below(copy_non_blocking, 0.5),
                 "cudaMemcpy beside a non-blocking stream, in kernels");
    report.claim("no-stream-means-default-stream", above(both, 1.8), "two kernels without a stream, in kernels");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
