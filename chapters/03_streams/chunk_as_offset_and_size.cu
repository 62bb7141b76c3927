// One variable as number of elements (an offset) and as number of bytes (a size): how much of the data arrives?
#include "experiment/experiment.h"

using namespace experiment;

// Copies an array in four chunks to the device and back, and returns the share of values that arrived.
double arrived(std::size_t bytes_per_counted) {
    constexpr std::size_t chunks = 4, chunk = 4096;  // in elements
    const Memory host = Memory::pinned(chunks * chunk * sizeof(unsigned));
    const Memory device = Memory::device(host.bytes());  // all zero
    unsigned* const values = host.data<unsigned>();
    for (unsigned i = 0; i < chunks * chunk; ++i) {
        values[i] = i + 1;
    }
    const Stream stream;
    for (std::size_t i = 0; i < chunks; ++i) {
        check(cudaMemcpyAsync(device.data<unsigned>() + i * chunk, values + i * chunk, chunk * bytes_per_counted,
                              cudaMemcpyHostToDevice, stream));
    }
    stream.wait();
    check(cudaMemcpy(values, device.data(), host.bytes(), cudaMemcpyDeviceToHost));
    unsigned right = 0;
    for (unsigned i = 0; i < chunks * chunk; ++i) {
        right += values[i] == i + 1 ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(chunks * chunk);
}

void measure(Report& report) {
    const double one_variable = arrived(1);  // the size is `chunk`, which counts elements
    const double both_right = arrived(sizeof(unsigned));
    Table& table = report.table("Four chunks of 4096 values of 4 bytes",
                                {{"size given to the copy"}, {"values that arrive", "%"}});
    table.row({"chunk", 100 * one_variable});
    table.row({"chunk * sizeof(unsigned)", 100 * both_right});
    report.claim("chunk-as-size-and-offset", above(one_variable, 0.99), "share of the values that arrive");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
