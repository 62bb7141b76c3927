// What the host pays for an event: to create it, to record it, to let a stream wait for it; with timing and without.
#include "experiment/experiment.h"

using namespace experiment;

struct Costs {
    double create_us, record_us, wait_us;
};

Costs costs(unsigned flags) {
    constexpr int calls = 200;
    const Stream first, second;
    const Event event(flags);
    Costs found{};
    found.create_us = median_of([&] { return host_us([&] { (void)Event(flags); }); });
    const auto each = [&](auto call) {
        return median_of([&] {
            const double us = host_us([&] {
                for (int i = 0; i < calls; ++i) {
                    call();
                }
            });
            check(cudaDeviceSynchronize());
            return us / calls;
        });
    };
    found.record_us = each([&] { check(cudaEventRecord(event, first)); });
    found.wait_us = each([&] { check(cudaStreamWaitEvent(second, event, 0)); });
    return found;
}

void measure(Report& report) {
    const Costs timed = costs(cudaEventDefault), untimed = costs(cudaEventDisableTiming);
    Table& table =
        report.table("Host time of each call", {{"event"}, {"create", "us"}, {"record", "us"}, {"stream waits", "us"}});
    table.row({"with timing", timed.create_us, timed.record_us, timed.wait_us});
    table.row({"without timing", untimed.create_us, untimed.record_us, untimed.wait_us});
    report.claim("event-without-timing-is-cheaper", below(untimed.record_us / timed.record_us, 0.9),
                 "record: without timing / with timing");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
