// A pipeline in four streams against the serial program, once with pinned and once with pageable host memory. The
// kernel takes as long as the copy from pinned memory.
#include "experiment/pipeline.h"

using namespace experiment;

double speedup(Table& table, const char* kind, const Job& job) {
    const std::vector<Piece> whole = job.pieces(job.bytes());
    const std::vector<Piece> pieces = job.pieces(choose(4 * mib, 8 * mib));
    const std::vector<Stream> one = streams(1), four = streams(4);
    const double serial_us = time_right_run(job, whole, [&] { run_in_turn(job, whole, one); });
    const double pipelined_us = time_right_run(job, pieces, [&] { run_in_turn(job, pieces, four); });
    table.row({kind, serial_us, pipelined_us, serial_us / pipelined_us});
    return serial_us / pipelined_us;
}

void measure(Report& report) {
    constexpr std::size_t bytes = choose(64 * mib, 256 * mib);
    Table& table = report.table("Serial, and pipelined in four streams",
                                {{"memory"}, {"serial", "us"}, {"pipelined", "us"}, {"speedup", "x"}});
    const double with_pinned = speedup(table, "pinned", Job(bytes, HostMemory::pinned));
    const double with_pageable = speedup(table, "pageable", Job(bytes, HostMemory::pageable));
    report.claim("pageable-pipeline-is-no-pipeline", below(with_pageable, 1.05), "pageable: speedup over serial");
    report.claim("pinned-is-the-precondition", above(with_pinned, 1.3), "pinned: speedup over serial");
    report.claim("pinned-is-the-precondition", below(with_pageable, 1.05), "pageable: speedup over serial");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
