// What streams cost: to create, and for each operation that is issued when it goes to one of so many.
#include "experiment/pipeline.h"

using namespace experiment;

__global__ void nothing() {}

void measure(Report& report) {
    constexpr int launches = 256;
    Table& table = report.table("Costs by number of streams, 256 empty kernels",
                                {{"streams"}, {"to create", "us"}, {"each launch", "us"}, {"each until done", "us"}});
    const auto each_launch = [&](std::size_t count) {
        const double create_us = median_of([&] { return host_us([&] { (void)streams(count); }); });
        const std::vector<Stream> used = streams(count);
        const CallAndWhole times = time_call_and_whole(
            [&] {
                for (int i = 0; i < launches; ++i) {
                    nothing<<<1, 32, 0, used[static_cast<std::size_t>(i) % count]>>>();
                    check(cudaGetLastError());
                }
            },
            [&] { wait_for(used); });
        table.row({count, create_us, times.call_us / launches, times.whole_us / launches});
        return times.call_us / launches;
    };
    (void)each_launch(1);
    const double few = each_launch(4);
    (void)each_launch(16);
    const double many = each_launch(32);
    for (const char* const id : {"many-streams-cost-scheduling", "too-many-streams-add-overhead"}) {
        report.claim(id, above(many / few, 1.25), "a launch: 32 streams / 4 streams");
    }
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
