// How much of the time does the GPU compute when a program copies in, computes and copies out, one after the other? The
// kernel takes as long as the copy from pinned memory.
#include "experiment/experiment.h"

using namespace experiment;

constexpr std::size_t bytes = 64 * mib;

void measure(Report& report) {
    const Memory device = Memory::device(bytes);
    const Memory pinned = Memory::pinned(bytes);
    const Memory pageable = Memory::pageable(bytes);
    const auto copy_in = [&](const Memory& host) {
        check(cudaMemcpy(device.data(), host.data(), bytes, cudaMemcpyHostToDevice));
    };
    const BusyKernel kernel(median_of([&] { return host_us([&] { copy_in(pinned); }); }));

    Table& table = report.table("One round of a serial program: 64 MiB in, a kernel, 64 MiB out",
                                {{"memory"}, {"round", "us"}, {"kernel", "us"}, {"GPU computes", "%"}});
    const auto computing = [&](const char* kind, const Memory& host) {
        const double round_us = median_of([&] {
            return host_us([&] {
                copy_in(host);
                kernel.launch();
                check(cudaMemcpy(host.data(), device.data(), bytes, cudaMemcpyDeviceToHost));
            });
        });
        table.row({kind, round_us, kernel.us(), 100 * kernel.us() / round_us});
        return kernel.us() / round_us;
    };
    const double with_pinned = computing("pinned", pinned);
    const double with_pageable = computing("pageable", pageable);
    report.claim("idle-while-copying", below(with_pinned, 0.5), "pinned: share of the time in which the GPU computes");
    report.claim("utilization-below-30", below(with_pageable, 0.3),
                 "pageable: share of the time in which the GPU computes");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
