// A copy and a kernel of the same length, and copies in both directions: in one stream one after the other, in two
// streams at the same time.
#include "experiment/experiment.h"

using namespace experiment;

constexpr std::size_t bytes = 64 * mib;

int copy_engines() {
    int count = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrAsyncEngineCount, 0));
    return count;
}

void measure(Report& report) {
    const Memory device_in = Memory::device(bytes), device_out = Memory::device(bytes);
    const Memory host_in = Memory::pinned(bytes), host_out = Memory::pinned(bytes);
    const Stream first, second;
    const auto copy_in = [&](const Stream& stream) {
        check(cudaMemcpyAsync(device_in.data(), host_in.data(), bytes, cudaMemcpyHostToDevice, stream));
    };
    const auto copy_out = [&](const Stream& stream) {
        check(cudaMemcpyAsync(host_out.data(), device_out.data(), bytes, cudaMemcpyDeviceToHost, stream));
    };
    const auto until_done = [&](auto issue) {
        return median_of([&] {
            return host_us([&] {
                issue();
                first.wait();
                second.wait();
            });
        });
    };
    const double in_us = until_done([&] { copy_in(first); });
    const double out_us = until_done([&] { copy_out(first); });
    const BusyKernel kernel(in_us);
    const auto copy_and_kernel = [&](const Stream& other) {
        return until_done([&] {
                   copy_in(first);
                   kernel.launch(other);
               }) /
               (in_us + kernel.us());
    };
    const auto both_copies = [&](const Stream& other) {
        return until_done([&] {
                   copy_in(first);
                   copy_out(other);
               }) /
               (in_us + out_us);
    };
    const double one = copy_and_kernel(first), two = copy_and_kernel(second);
    const double copies_one = both_copies(first), copies_two = both_copies(second);

    Table& table = report.table("Together, as a share of the sum of the two alone",
                                {{"what"}, {"streams"}, {"share of the sum", "%"}});
    table.row({"H2D and kernel", 1, 100 * one});
    table.row({"H2D and kernel", 2, 100 * two});
    table.row({"H2D and D2H", 1, 100 * copies_one});
    table.row({"H2D and D2H", 2, 100 * copies_two});
    for (const char* const id : {"copies-in-the-background", "streams-overlap-copy-and-kernel"}) {
        report.claim(id, below(two, 0.65), "H2D and kernel in two streams: time / sum");
        report.claim(id, above(one, 0.9), "in one stream, for comparison: time / sum");
    }
    report.claim("both-copy-directions-at-once",
                 copy_engines() >= 2 ? below(copies_two, 0.75) : not_on_this_device("it has one copy engine"),
                 "H2D and D2H in two streams: time / sum");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
