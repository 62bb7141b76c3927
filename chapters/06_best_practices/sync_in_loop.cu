// Where a pipeline waits: for the whole device after each chunk, for the whole device once at the end, or by events for
// just what is needed.
#include "experiment/pipeline.h"

using namespace experiment;

void measure(Report& report) {
    const Job job(choose(64 * mib, 256 * mib));
    const std::vector<Piece> whole = job.pieces(job.bytes());
    const std::vector<Piece> pieces = job.pieces(choose(4 * mib, 8 * mib));
    constexpr std::size_t buffers = 3;
    const std::vector<Piece> in_turn = job.pieces(choose(4 * mib, 8 * mib), buffers);
    const std::vector<Stream> one = streams(1), four = streams(4);
    const StageStreams stages(buffers);
    const auto run_with = [&](bool wait_in_loop) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const Stream& stream = four[i % four.size()];
            job.copy_in(pieces[i], stream);
            job.compute(pieces[i], stream);
            job.copy_out(pieces[i], stream);
            if (wait_in_loop) {
                check(cudaDeviceSynchronize());
            }
        }
        check(cudaDeviceSynchronize());
    };
    const double serial = time_right_run(job, whole, [&] { run_in_turn(job, whole, one); });
    const double in_loop = time_right_run(job, pieces, [&] { run_with(true); });
    const double at_end = time_right_run(job, pieces, [&] { run_with(false); });
    const double events = time_right_run(job, in_turn, [&] { stages.run(job, in_turn); });

    Table& table = report.table("Speedup over the serial version", {{"waits"}, {"time", "us"}, {"speedup", "x"}});
    table.row({"serial version", serial, 1});
    table.row({"cudaDeviceSynchronize after each chunk", in_loop, serial / in_loop});
    table.row({"cudaDeviceSynchronize at the end", at_end, serial / at_end});
    table.row({"by events, three buffers", events, serial / events});
    report.claim("device-sync-kills-parallelism", below(serial / in_loop, 1.1),
                 "after each chunk: speedup over serial");
    report.claim("device-sync-kills-parallelism", below(serial / at_end, 1.1), "once at the end: speedup over serial");
    report.claim("events-keep-parallelism", above(serial / events, 1.3), "by events: speedup over serial");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
