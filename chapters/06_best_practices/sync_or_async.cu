// The serial program with synchronous copies against the pipelined one with streams and events: are the results right,
// how long does each take, and how much of the time does the GPU compute?
#include "experiment/pipeline.h"

using namespace experiment;

void measure(Report& report) {
    const Job job(choose(64 * mib, 256 * mib));
    constexpr std::size_t buffers = 3;
    const std::vector<Piece> whole = job.pieces(job.bytes());
    const std::vector<Piece> pieces = job.pieces(choose(4 * mib, 8 * mib), buffers);
    const StageStreams stages(buffers);

    job.forget_results();
    job.run_synchronously();
    const double right = job.right(whole);
    const double serial = time_right_run(job, whole, [&] { job.run_synchronously(); });
    const double pipelined = time_right_run(job, pieces, [&] { stages.run(job, pieces); });
    const double computes_serial = job.kernel_us() / serial, computes_pipelined = job.kernel_us() / pipelined;

    Table& table =
        report.table("The same job, without and with overlap", {{"program"}, {"time", "us"}, {"GPU computes", "%"}});
    table.row({"synchronous copies", serial, 100 * computes_serial});
    table.row({"streams and events", pipelined, 100 * computes_pipelined});
    report.claim("sync-is-safe", above(right, 0.999), "synchronous copies, no other wait: share of right results");
    report.claim("async-is-faster", above(serial / pipelined, 1.3), "speedup over the serial program");
    report.claim("streams-and-events-keep-busy", above(computes_pipelined, 0.6),
                 "share of the time in which the GPU computes");
    report.claim("streams-and-events-keep-busy", below(computes_serial, 0.5),
                 "the same in the serial program, for comparison");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
