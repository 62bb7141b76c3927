// A buffer is filled again before its kernel has read it: what becomes of the results? The kernel takes four times as
// long as a copy, so that the copies run ahead of it.
#include "experiment/pipeline.h"

using namespace experiment;

void measure(Report& report) {
    const Job job(choose(4 * mib, 64 * mib), HostMemory::pinned, 4);
    constexpr std::size_t buffers = 2;
    const std::vector<Piece> pieces = job.pieces(job.bytes() / 16, buffers);
    const StageStreams used(buffers);
    const auto right = [&](StageStreams::Reuse reuse) {
        job.forget_results();
        used.run(job, pieces, reuse);
        return job.right(pieces);
    };
    const double with_waits = right(StageStreams::Reuse::waits);
    const double without = right(StageStreams::Reuse::does_not_wait);
    Table& table =
        report.table("Sixteen pieces in two buffers", {{"before a buffer is used again"}, {"right results", "%"}});
    table.row({"waits for what used it", 100 * with_waits});
    table.row({"does not wait", 100 * without});
    report.claim("double-buffering-needs-waits", above(with_waits, 0.999), "with the waits: share of right results");
    report.claim("double-buffering-needs-waits", below(without, 0.999), "without them: share of right results");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
