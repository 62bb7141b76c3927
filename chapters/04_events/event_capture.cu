// What a recorded event stands for: the work of its stream up to the recording. A stream waits for events recorded in
// different places; how long does it wait?
#include "experiment/experiment.h"

using namespace experiment;

void measure_waits(Report& report) {
    const BusyKernel kernel(1000), short_kernel(50);
    const Stream first, second;
    // Three kernels in the first stream; `record` is called after each. Until when does the second stream wait?
    const auto waited = [&](const Event& event, auto record) {
        return median_of([&] {
            for (int i = 1; i <= 3; ++i) {
                kernel.launch(first);
                record(i);
            }
            check(cudaStreamWaitEvent(second, event, 0));
            const double us = host_us([&] {
                short_kernel.launch(second);
                second.wait();
            });
            first.wait();
            return us / kernel.us();
        });
    };
    const Event early(cudaEventDisableTiming), twice(cudaEventDisableTiming), never(cudaEventDisableTiming);
    const double after_first = waited(early, [&](int i) {
        if (i == 1) {
            check(cudaEventRecord(early, first));
        }
    });
    const double recorded_twice = waited(twice, [&](int i) {
        if (i != 2) {
            check(cudaEventRecord(twice, first));
        }
    });
    const double not_recorded = waited(never, [](int) {});
    Table& table = report.table("Three kernels in one stream; a second stream waits for an event",
                                {{"event recorded after"}, {"waits for", "kernels"}});
    table.row({"the first kernel", after_first});
    table.row({"the first, again after the third", recorded_twice});
    table.row({"never", not_recorded});
    report.claim("event-captures-earlier-work-only", above(after_first, 0.8),
                 "recorded after the first of three: waits, in kernels");
    report.claim("event-captures-earlier-work-only", below(after_first, 1.5),
                 "recorded after the first of three: waits, in kernels");
    report.claim("recording-again-replaces", above(recorded_twice, 2.5),
                 "recorded again after the third: waits, in kernels");
    report.claim("unrecorded-event-waits-for-nothing", below(not_recorded, 0.5), "never recorded: waits, in kernels");
}

void measure_errors(Report& report) {
    const BusyKernel kernel(1000);
    const Stream stream;
    const Event begin, end, untimed(cudaEventDisableTiming);
    float milliseconds = 0;
    check(cudaEventRecord(begin, stream));
    kernel.launch(stream);
    check(cudaEventRecord(end, stream));
    check(cudaEventRecord(untimed, stream));
    const cudaError_t early = cudaEventElapsedTime(&milliseconds, begin, end);
    stream.wait();
    const cudaError_t without_timing = cudaEventElapsedTime(&milliseconds, begin, untimed);
    (void)cudaGetLastError();  // both errors were wanted
    const cudaError_t complete = cudaEventElapsedTime(&milliseconds, begin, end);
    Table& table = report.table("What cudaEventElapsedTime returns", {{"events"}, {"error"}});
    table.row({"not completed", cudaGetErrorName(early)});
    table.row({"completed, one without timing", cudaGetErrorName(without_timing)});
    table.row({"completed, both with timing", cudaGetErrorName(complete)});
    const char* const id = "elapsed-time-needs-completion";
    report.claim(id, holds(early == cudaErrorNotReady), "not completed: cudaErrorNotReady");
    report.claim(id, holds(without_timing == cudaErrorInvalidResourceHandle),
                 "without timing: cudaErrorInvalidResourceHandle");
    report.claim(id, holds(complete == cudaSuccess), "completed, with timing: no error");
}

void measure(Report& report) {
    measure_waits(report);
    measure_errors(report);
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
