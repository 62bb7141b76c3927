// An event in one stream, and who waits for it: another stream, the host, or nobody.
#include "experiment/experiment.h"

using namespace experiment;

__global__ void twice(const unsigned* input, unsigned* output, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        output[i] = 2 * input[i];
    }
}

void measure_waits(Report& report) {
    const BusyKernel kernel(1000), short_kernel(50);
    const Stream first, second;
    const Event done(cudaEventDisableTiming);
    double call_us = 0;
    const auto second_stream_us = [&](bool waits) {
        return median_of([&] {
            kernel.launch(first);
            check(cudaEventRecord(done, first));
            const double us = host_us([&] {
                if (waits) {
                    call_us = host_us([&] { check(cudaStreamWaitEvent(second, done, 0)); });
                }
                short_kernel.launch(second);
                second.wait();
            });
            first.wait();
            return us;
        });
    };
    const double alone = second_stream_us(false), waiting = second_stream_us(true);
    const double host_wait = median_of([&] {
        kernel.launch(first);
        check(cudaEventRecord(done, first));
        return host_us([&] { check(cudaEventSynchronize(done)); });
    });
    kernel.launch(first);
    check(cudaEventRecord(done, first));
    const bool before = cudaEventQuery(done) == cudaErrorNotReady;
    first.wait();
    const bool after = cudaEventQuery(done) == cudaSuccess;

    Table& table =
        report.table("A kernel and an event behind it in one stream", {{"what"}, {"time", "us"}, {"kernel", "us"}});
    table.row({"a short kernel in a second stream", alone, kernel.us()});
    table.row({"the same, after cudaStreamWaitEvent", waiting, kernel.us()});
    table.row({"cudaStreamWaitEvent, the call", call_us, kernel.us()});
    table.row({"cudaEventSynchronize, the call", host_wait, kernel.us()});
    report.claim("stream-waits-for-event", above(waiting / kernel.us(), 0.9),
                 "second stream with the wait: time / kernel");
    report.claim("stream-waits-for-event", below(alone / kernel.us(), 0.3),
                 "without it, for comparison: time / kernel");
    report.claim("event-wait-leaves-host-free", below(call_us / kernel.us(), 0.1),
                 "cudaStreamWaitEvent: call / kernel");
    report.claim("event-synchronize-waits", above(host_wait / kernel.us(), 0.9), "cudaEventSynchronize: call / kernel");
    report.claim("event-marks-completion", holds(before), "cudaEventQuery before the kernel is done: not ready");
    report.claim("event-marks-completion", holds(after), "cudaEventQuery after it is done: ready");
}

// A copy in one stream, a kernel in another that waits for the event behind it: how many of `count` values are right.
unsigned right_values(unsigned count) {
    const std::size_t bytes = count * sizeof(unsigned);
    const Memory host = Memory::pinned(bytes);
    const Memory device_input = Memory::device(bytes), device_output = Memory::device(bytes);
    unsigned* const values = host.data<unsigned>();
    for (unsigned i = 0; i < count; ++i) {
        values[i] = i + 1;
    }
    const Stream copies, kernels;
    const Event copied(cudaEventDisableTiming);
    check(cudaMemcpyAsync(device_input.data(), values, bytes, cudaMemcpyHostToDevice, copies));
    check(cudaEventRecord(copied, copies));
    check(cudaStreamWaitEvent(kernels, copied, 0));
    twice<<<(count + 255) / 256, 256, 0, kernels>>>(device_input.data<unsigned>(), device_output.data<unsigned>(),
                                                    count);
    check(cudaGetLastError());
    kernels.wait();
    check(cudaMemcpy(values, device_output.data(), bytes, cudaMemcpyDeviceToHost));
    unsigned right = 0;
    for (unsigned i = 0; i < count; ++i) {
        right += values[i] == 2 * (i + 1) ? 1 : 0;
    }
    return right;
}

void measure(Report& report) {
    measure_waits(report);
    constexpr unsigned count = choose(20'000u, 16u * 1024 * 1024);
    const unsigned right = right_values(count);
    report.claim("copy-event-kernel-is-right", holds(right == count),
                 shown(right) + " of " + shown(count) + " values are right");
}

int main(int argc, char** argv) {
    return run(argc, argv, measure);
}
