// What is wrong: the copy in does not wait for the kernel that still reads the device's buffer.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "lab.h"  // for lab::work, which takes as long on every device as we ask

constexpr std::size_t chunk = 256 << 10;                       // elements
constexpr std::size_t chunk_bytes = chunk * sizeof(unsigned);  // 1 MiB
constexpr std::size_t chunks = 16;
constexpr unsigned kernel_rounds = 4200;

__global__ void process(const unsigned* input, unsigned* output, std::size_t elements, unsigned rounds) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < elements) {
        output[i] = lab::work(input[i], rounds);
    }
}

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        std::exit(1);
    }
}

double now_us() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(since_start).count();
}

// The host's own work on a chunk, such as reading a file or decoding: it keeps the thread busy.
void keep_busy(double us) {
    const double begin = now_us();
    while (now_us() - begin < us) {
    }
}

// [host_work]
void produce(unsigned* input, std::size_t number) {
    std::fill(input, input + chunk, static_cast<unsigned>(number));
    keep_busy(40);
}

void consume(const unsigned* output, unsigned& sum) {
    sum += output[0] + output[chunk - 1];
    keep_busy(40);
}
// [/host_work]

// [slot]
struct Slot {
    unsigned *host_input = nullptr, *host_output = nullptr;      // pinned: what the host fills, what it takes
    unsigned *device_input = nullptr, *device_output = nullptr;  // what the kernel reads and writes
    cudaEvent_t copied_in = nullptr, computed = nullptr, copied_out = nullptr;
};

struct Streams {
    cudaStream_t in = nullptr, kernels = nullptr, out = nullptr;  // one for each stage, for all slots
};
// [/slot]

Slot create() {
    Slot slot;
    check(cudaMallocHost(&slot.host_input, chunk_bytes));
    check(cudaMallocHost(&slot.host_output, chunk_bytes));
    check(cudaMalloc(&slot.device_input, chunk_bytes));
    check(cudaMalloc(&slot.device_output, chunk_bytes));
    for (cudaEvent_t* event : {&slot.copied_in, &slot.computed, &slot.copied_out}) {
        check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    return slot;
}

void destroy(const Slot& slot) {
    for (const cudaEvent_t event : {slot.copied_in, slot.computed, slot.copied_out}) {
        check(cudaEventDestroy(event));
    }
    check(cudaFree(slot.device_output));
    check(cudaFree(slot.device_input));
    check(cudaFreeHost(slot.host_output));
    check(cudaFreeHost(slot.host_input));
}

// [mistake]
void issue_copy_in(const Slot& slot, const Streams& streams) {
    check(cudaMemcpyAsync(slot.device_input, slot.host_input, chunk_bytes, cudaMemcpyHostToDevice, streams.in));
    check(cudaEventRecord(slot.copied_in, streams.in));
}
// [/mistake]

void issue_kernel(const Slot& slot, const Streams& streams) {
    check(cudaStreamWaitEvent(streams.kernels, slot.copied_in, 0));
    check(cudaStreamWaitEvent(streams.kernels, slot.copied_out, 0));  // the last copy out has read device_output
    process<<<chunk / 256, 256, 0, streams.kernels>>>(slot.device_input, slot.device_output, chunk, kernel_rounds);
    check(cudaGetLastError());
    check(cudaEventRecord(slot.computed, streams.kernels));
}

void issue_copy_out(const Slot& slot, const Streams& streams) {
    check(cudaStreamWaitEvent(streams.out, slot.computed, 0));
    check(cudaMemcpyAsync(slot.host_output, slot.device_output, chunk_bytes, cudaMemcpyDeviceToHost, streams.out));
    check(cudaEventRecord(slot.copied_out, streams.out));
}

int main() {
    constexpr std::size_t count = 2;
    std::array<Slot, count> slots;
    for (Slot& slot : slots) {
        slot = create();
    }
    Streams streams;
    for (cudaStream_t* stream : {&streams.in, &streams.kernels, &streams.out}) {
        check(cudaStreamCreate(stream));
    }
    unsigned sum = 0;

    const double begin = now_us();
    // [loop]
    for (std::size_t i = 0; i < chunks; ++i) {
        const Slot& slot = slots[i % count];
        check(cudaEventSynchronize(slot.copied_in));  // the last copy in has read host_input
        produce(slot.host_input, i);
        issue_copy_in(slot, streams);
        issue_kernel(slot, streams);
        if (i >= count) {  // host_output still holds the last results, which the copy out would overwrite
            check(cudaEventSynchronize(slot.copied_out));
            consume(slot.host_output, sum);
        }
        issue_copy_out(slot, streams);
    }
    for (std::size_t i = chunks; i < chunks + count; ++i) {
        check(cudaEventSynchronize(slots[i % count].copied_out));
        consume(slots[i % count].host_output, sum);
    }
    // [/loop]
    std::printf("%zu chunks, two slots, a stream for each stage: %.0f us (sum %u)\n", chunks, now_us() - begin, sum);

    for (const cudaStream_t stream : {streams.in, streams.kernels, streams.out}) {
        check(cudaStreamDestroy(stream));
    }
    for (const Slot& slot : slots) {
        destroy(slot);
    }
}
