// The time between two events against the host's time: around a launch alone, and until the kernel is done.
#include "experiment/experiment.h"

using namespace experiment;

void measure(Report& report) {
    Table& table = report.table("One kernel, timed in three ways",
                                {{"two events", "us"}, {"host, until done", "us"}, {"host, launch alone", "us"}});
    const Stream stream;
    double events_us = 0;
    CallAndWhole host;
    for (const double wanted_us : {100, 1000, 10000}) {
        const BusyKernel kernel(wanted_us);
        events_us = median_of([&] { return event_us(stream, [&] { kernel.launch(stream); }); });
        host = time_call_and_whole([&] { kernel.launch(stream); }, [&] { stream.wait(); });
        table.row({events_us, host.whole_us, host.call_us});
    }
    report.claim("events-time-gpu-work", above(events_us / host.whole_us, 0.95),
                 "longest kernel: events / host until done");
    report.claim("events-time-gpu-work", below(events_us / host.whole_us, 1.05),
                 "longest kernel: events / host until done");
    report.claim("host-timer-measures-the-launch", below(host.call_us / events_us, 0.1),
                 "longest kernel: host around the launch / events");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
