// How many kernels run at the same time? One small kernel in each of so many streams.
#include "experiment/pipeline.h"

using namespace experiment;

void measure(Report& report) {
    const BusyKernel kernel(5000);
    Table& table =
        report.table("A kernel of one block in each stream", {{"streams"}, {"time", "us"}, {"in kernels", "x"}});
    double most = 0;
    for (const std::size_t count : {1, 8, 32, 128, 256}) {
        const std::vector<Stream> used = streams(count);
        const double us = median_of([&] {
            return host_us([&] {
                for (const Stream& stream : used) {
                    kernel.launch(stream);
                }
                wait_for(used);
            });
        });
        most = us / kernel.us();
        table.row({count, us, most});
    }
    report.claim("hardware-queues-are-limited",
                 simulated() ? not_on_this_device("its number of queues has no limit") : above(most, 1.5),
                 "256 streams: time / one kernel");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
