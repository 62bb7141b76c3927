// Speed of a pipeline in four streams by the size of its chunks: 256 MiB in, a kernel as long as that copy, 256 MiB
// out.
#include "experiment/pipeline.h"

using namespace experiment;

void measure(Report& report) {
    const Job job(256 * mib);
    const std::vector<Piece> whole = job.pieces(job.bytes());
    const std::vector<Stream> one = streams(1), four = streams(4);
    const double serial_us = time_right_run(job, whole, [&] { run_in_turn(job, whole, one); });

    Table& table = report.table("Speedup over the serial version by chunk size, four streams",
                                {{"chunk", "MiB"}, {"time", "ms"}, {"speedup", "x"}});
    const std::vector<double> sizes =
        choose<std::vector<double>>({4, 16, 128}, {0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128});
    std::vector<double> speedups;
    for (const double size : sizes) {
        const std::vector<Piece> pieces = job.pieces(static_cast<std::size_t>(size * mib));
        const double us = time_right_run(job, pieces, [&] { run_in_turn(job, pieces, four); });
        speedups.push_back(serial_us / us);
        table.row({size, us / 1000, speedups.back()});
    }
    const double best = *std::max_element(speedups.begin(), speedups.end());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::string what = shown(sizes[i]) + " MiB: speed / best";
        if (sizes[i] >= 4 && sizes[i] <= 16) {
            report.claim("chunks-of-4-to-16-mb", above(speedups[i] / best, 0.9), what);
        }
        if (sizes[i] >= 100) {
            report.claim("large-chunks-wait-too-long", below(speedups[i] / best, 0.75), what);
        }
    }
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
