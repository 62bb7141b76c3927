// What does cudaMemcpy hold up? The calling thread, until the copy is done; but not a kernel in a non-blocking stream.
#include "experiment/experiment.h"

using namespace experiment;

constexpr std::size_t bytes = 64 * mib;

const char* yes_or_no(bool value) {
    return value ? "yes" : "no";
}

// Whether the copy is done when the call returns: then nothing is left in the default stream.
bool done_on_return(void* to, const void* from, std::size_t size, cudaMemcpyKind direction) {
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(to, from, size, direction));
    const cudaError_t left = cudaStreamQuery(nullptr);
    check(cudaDeviceSynchronize());
    return left == cudaSuccess;
}

void measure_return(Report& report, const Memory& device, const Memory& pinned, const Memory& pageable) {
    Table& table = report.table("Is the copy done when cudaMemcpy returns?", {{"memory"}, {"direction"}, {"done"}});
    for (const Memory* host : {&pinned, &pageable}) {
        const std::string kind = host == &pinned ? "pinned" : "pageable";
        const bool in = done_on_return(device.data(), host->data(), bytes, cudaMemcpyHostToDevice);
        const bool out = done_on_return(host->data(), device.data(), bytes, cudaMemcpyDeviceToHost);
        table.row({kind, "H2D", yes_or_no(in)});
        table.row({kind, "D2H", yes_or_no(out)});
        if (host == &pinned) {  // from pageable memory the call may return once the data are staged
            report.claim("sync-copy-done-on-return", holds(in), "pinned H2D: nothing left in the default stream");
        }
        report.claim("sync-copy-done-on-return", holds(out), kind + " D2H: nothing left in the default stream");
    }
}

void measure_kernels_beside(Report& report, const Memory& device, const Memory& pinned) {
    const auto copy = [&] { check(cudaMemcpy(device.data(), pinned.data(), bytes, cudaMemcpyHostToDevice)); };
    const double copy_us = median_of([&] { return host_us(copy); });
    const BusyKernel kernel(copy_us / 4);
    const Stream stream(cudaStreamNonBlocking);
    bool both_done = true;
    double call_us = 0;
    const double whole_us = median_of([&] {
        return host_us([&] {
            kernel.launch(stream);
            kernel.launch(stream);  // has to wait for the first: it is still ahead when cudaMemcpy is called
            call_us = host_us(copy);
            both_done = both_done && cudaStreamQuery(stream) == cudaSuccess;
            stream.wait();
        });
    });
    const double sum_us = copy_us + 2 * kernel.us();
    Table& table = report.table("Two kernels in a non-blocking stream, then cudaMemcpy of 64 MiB",
                                {{"copy alone", "us"}, {"a kernel alone", "us"}, {"all", "us"}, {"all/sum", "%"}});
    table.row({copy_us, kernel.us(), whole_us, 100 * whole_us / sum_us});
    report.claim("sync-copy-blocks-the-device", above(whole_us / sum_us, 0.9),
                 "kernels and copy: time / sum of the times");
    report.claim("gpu-waits-for-sync-copy", holds(!both_done), "the kernels are not done when the copy is");
    report.claim("sync-copy-blocks-later-work", above(call_us / copy_us, 0.9),
                 "the next call comes after: call / copy");
    report.claim("sync-copy-blocks-later-work", holds(!both_done), "the second kernel waits for the copy");
}

void measure(Report& report) {
    const Memory device = Memory::device(bytes);
    const Memory pinned = Memory::pinned(bytes);
    const Memory pageable = Memory::pageable(bytes);
    measure_return(report, device, pinned, pageable);
    measure_kernels_beside(report, device, pinned);
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
