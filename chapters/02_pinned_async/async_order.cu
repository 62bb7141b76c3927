// A kernel behind an asynchronous copy in the same stream: the host reaches the launch at once, and the kernel finds
// the copied data without a wait between the two.
#include "experiment/experiment.h"

using namespace experiment;

__global__ void twice(const unsigned* input, unsigned* output, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        output[i] = 2 * input[i];
    }
}

void measure(Report& report) {
    constexpr unsigned count = choose(64u * 1024, 16u * 1024 * 1024);
    constexpr std::size_t bytes = count * sizeof(unsigned);
    const Memory host_input = Memory::pinned(bytes), host_output = Memory::pinned(bytes);
    const Memory device_input = Memory::device(bytes), device_output = Memory::device(bytes);
    for (unsigned i = 0; i < count; ++i) {
        host_input.data<unsigned>()[i] = i + 1;
    }
    const Stream stream;
    const CallAndWhole times = time_call_and_whole(
        [&] {
            check(cudaMemcpyAsync(device_input.data(), host_input.data(), bytes, cudaMemcpyHostToDevice, stream));
            twice<<<(count + 255) / 256, 256, 0, stream>>>(device_input.data<unsigned>(),
                                                           device_output.data<unsigned>(), count);
            check(cudaGetLastError());
        },
        [&] { stream.wait(); });
    check(cudaMemcpyAsync(host_output.data(), device_output.data(), bytes, cudaMemcpyDeviceToHost, stream));
    stream.wait();
    unsigned right = 0;
    for (unsigned i = 0; i < count; ++i) {
        right += host_output.data<unsigned>()[i] == 2 * (i + 1) ? 1 : 0;
    }
    // A larger copy, so that the calls are short beside it on every device.
    const Memory large_host = Memory::pinned(64 * mib), large_device = Memory::device(64 * mib);
    const CallAndWhole large = time_call_and_whole(
        [&] {
            check(cudaMemcpyAsync(large_device.data(), large_host.data(), 64 * mib, cudaMemcpyHostToDevice, stream));
            twice<<<1, 256, 0, stream>>>(large_device.data<unsigned>(), device_output.data<unsigned>(), 256);
            check(cudaGetLastError());
        },
        [&] { stream.wait(); });
    Table& table = report.table("A copy and a kernel in one stream",
                                {{"size", "KiB"}, {"both calls", "us"}, {"until done", "us"}, {"calls/done", "%"}});
    table.row({bytes / kib, times.call_us, times.whole_us, 100 * times.share()});
    table.row({64 * kib, large.call_us, large.whole_us, 100 * large.share()});
    report.claim("async-example-is-right", holds(right == count),
                 shown(right) + " of " + shown(count) + " values are right");
    report.claim("launch-not-held-up-by-async-copy", below(large.share(), 0.2), "64 MiB: both calls / until done");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
