// A job in pieces that take turns in one, two, three or four device buffers, each with a stream of its own; and with a
// stream for each stage, joined by events. The kernel takes as long as the copy in.
#include "experiment/pipeline.h"

using namespace experiment;

void measure(Report& report) {
    const Job job(choose(64 * mib, 256 * mib));
    const std::size_t piece = choose(4 * mib, 8 * mib);
    Table& table = report.table("Buffers, streams and speed",
                                {{"streams"}, {"buffers"}, {"time", "us"}, {"speed, one buffer = 1", "x"}});
    double one_us = 0;
    const auto row = [&](const char* how, std::size_t buffers, double us) {
        one_us = one_us == 0 ? us : one_us;
        table.row({how, buffers, us, one_us / us});
        return one_us / us;
    };
    const auto by_buffer = [&](std::size_t buffers) {
        const std::vector<Piece> pieces = job.pieces(piece, buffers);
        const std::vector<Stream> used = streams(buffers);
        return row("one for each buffer", buffers,
                   time_right_run(job, pieces, [&] { run_in_turn(job, pieces, used); }));
    };
    const auto by_stage = [&](std::size_t buffers) {
        const std::vector<Piece> pieces = job.pieces(piece, buffers);
        const StageStreams used(buffers);
        return row("one for each stage", buffers, time_right_run(job, pieces, [&] { used.run(job, pieces); }));
    };
    const double one = by_buffer(1), two = by_buffer(2), three = by_buffer(3), four = by_buffer(4);
    const double stages_two = by_stage(2), stages_three = by_stage(3);
    const double best = std::max({one, two, three, four, stages_two, stages_three});

    report.claim("double-buffering-overlaps", above(two / one, 1.3), "two buffers, two streams: speed / one buffer");
    report.claim("two-streams-suffice", above(two / best, 0.9), "two buffers, two streams: speed / best");
    report.claim("three-buffers-are-enough", above(three / one, 1.5), "three buffers: speed / one buffer");
    report.claim("three-buffers-are-enough", below(four / three, 1.1), "four buffers: speed / three buffers");
    report.claim("role-streams-are-as-fast", above(stages_three / three, 0.95),
                 "three buffers: stream for each stage / for each buffer");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
