// Waiting for one stream and for the whole device, while another stream has a long kernel.
#include "experiment/experiment.h"

using namespace experiment;

void measure(Report& report) {
    const BusyKernel long_kernel(2000), short_kernel(100);
    const Stream busy, needed;
    bool other_goes_on = true;
    const auto waited = [&](auto wait) {
        return median_of([&] {
            long_kernel.launch(busy);
            short_kernel.launch(needed);
            const double us = host_us(wait);
            return us / long_kernel.us();
        });
    };
    const double one = waited([&] {
        needed.wait();
        other_goes_on = other_goes_on && cudaStreamQuery(busy) == cudaErrorNotReady;
    });
    busy.wait();
    const double all = waited([&] { check(cudaDeviceSynchronize()); });
    Table& table = report.table("A short kernel in one stream, a long one in another",
                                {{"call"}, {"waits", "us"}, {"short kernel", "us"}, {"long kernel", "us"}});
    table.row({"cudaStreamSynchronize", one * long_kernel.us(), short_kernel.us(), long_kernel.us()});
    table.row({"cudaDeviceSynchronize", all * long_kernel.us(), short_kernel.us(), long_kernel.us()});
    report.claim("stream-sync-waits-for-one", below(one, 0.5), "cudaStreamSynchronize: time / long kernel");
    report.claim("stream-sync-waits-for-one", holds(other_goes_on), "the other stream is still busy afterwards");
    report.claim("device-sync-waits-for-all", above(all, 0.9), "cudaDeviceSynchronize: time / long kernel");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
