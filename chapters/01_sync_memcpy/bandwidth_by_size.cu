// Bandwidth of single copies by size, for pinned and pageable host memory, in both directions: from the call until the
// copy is done, as a program sees it.
#include "experiment/experiment.h"

using namespace experiment;

double bandwidth(void* to, const void* from, std::size_t bytes, cudaMemcpyKind direction) {
    const Stream stream;
    const double us = median_of([&] {
        return host_us([&] {
            check(cudaMemcpyAsync(to, from, bytes, direction, stream));
            stream.wait();
        });
    });
    return gb_per_s(bytes, us);
}

struct Bandwidths {
    double pinned_in, pinned_out, pageable_in, pageable_out;
};

void measure(Report& report) {
    const std::size_t most = choose(64 * mib, 256 * mib);
    const Memory device = Memory::device(most);
    const Memory pinned = Memory::pinned(most);
    const Memory pageable = Memory::pageable(most);
    Table& table = report.table("Bandwidth of a single copy by its size", {{"size", "KiB"},
                                                                           {"pinned H2D", "GB/s"},
                                                                           {"pinned D2H", "GB/s"},
                                                                           {"pageable H2D", "GB/s"},
                                                                           {"pageable D2H", "GB/s"}});
    const auto at = [&](std::size_t bytes) {
        const Bandwidths found{bandwidth(device.data(), pinned.data(), bytes, cudaMemcpyHostToDevice),
                               bandwidth(pinned.data(), device.data(), bytes, cudaMemcpyDeviceToHost),
                               bandwidth(device.data(), pageable.data(), bytes, cudaMemcpyHostToDevice),
                               bandwidth(pageable.data(), device.data(), bytes, cudaMemcpyDeviceToHost)};
        table.row({bytes / kib, found.pinned_in, found.pinned_out, found.pageable_in, found.pageable_out});
        return found;
    };
    (void)at(4 * kib);
    const Bandwidths small = at(64 * kib);
    const Bandwidths half_mib = at(512 * kib);
    for (const std::size_t bytes : {1 * mib, 4 * mib, 16 * mib}) {
        (void)at(bytes);
    }
    const Bandwidths best = at(most);

    report.claim("bandwidth-grows-with-size", below(small.pinned_in / best.pinned_in, 0.5),
                 "pinned H2D: 64 KiB / largest");
    report.claim("bandwidth-grows-with-size", below(small.pinned_out / best.pinned_out, 0.5),
                 "pinned D2H: 64 KiB / largest");
    report.claim("small-copies-waste-bandwidth", below(half_mib.pinned_in / best.pinned_in, 0.8),
                 "pinned H2D: 512 KiB / largest");
    report.claim("small-copies-waste-bandwidth", below(half_mib.pinned_out / best.pinned_out, 0.8),
                 "pinned D2H: 512 KiB / largest");
    for (const char* const id : {"pageable-copies-are-slower", "pageable-not-by-dma"}) {
        report.claim(id, below(best.pageable_in / best.pinned_in, 0.5), "H2D, largest: pageable / pinned");
        report.claim(id, below(best.pageable_out / best.pinned_out, 0.5), "D2H, largest: pageable / pinned");
    }
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
