// Order within a stream, and none between streams: kernels of the same length in one stream and in two, and a short
// operation beside a long one.
#include "experiment/experiment.h"

using namespace experiment;

void measure(Report& report) {
    const BusyKernel kernel(1000), short_kernel(50);
    const Stream first, second;
    const auto two_kernels = [&](const Stream& a, const Stream& b) {
        return median_of([&] {
            return host_us([&] {
                kernel.launch(a);
                kernel.launch(b);
                check(cudaDeviceSynchronize());
            });
        });
    };
    const auto short_beside_long = [&](const Stream& a, const Stream& b) {
        return median_of([&] {
            kernel.launch(a);
            const double us = host_us([&] {
                short_kernel.launch(b);
                b.wait();
            });
            a.wait();
            return us;
        });
    };
    const double in_one = two_kernels(first, first), in_two = two_kernels(first, second);
    const double behind = short_beside_long(first, first), beside = short_beside_long(first, second);
    Table& table =
        report.table("Kernels in one stream and in two", {{"what"}, {"streams"}, {"time", "us"}, {"one kernel", "us"}});
    table.row({"two kernels", 1, in_one, kernel.us()});
    table.row({"two kernels", 2, in_two, kernel.us()});
    table.row({"short kernel after a long one", 1, behind, kernel.us()});
    table.row({"short kernel after a long one", 2, beside, kernel.us()});
    report.claim("stream-runs-in-order", above(in_one / kernel.us(), 1.8), "two kernels in one stream, in kernels");
    report.claim("stream-runs-in-order", above(behind / kernel.us(), 0.9), "short behind long: time / long kernel");
    report.claim("streams-run-in-parallel", below(in_two / kernel.us(), 1.3), "two kernels in two streams, in kernels");
    report.claim("streams-are-independent-queues", below(beside / kernel.us(), 0.3),
                 "short kernel beside a long one: time / long kernel");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
