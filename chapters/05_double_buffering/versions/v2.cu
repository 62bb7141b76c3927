// Version 2: two slots, double buffering. While the device works on one, the host works on the other.
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
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;  // behind the copy out
};
// [/slot]

Slot create() {
    Slot slot;
    check(cudaMallocHost(&slot.host_input, chunk_bytes));
    check(cudaMallocHost(&slot.host_output, chunk_bytes));
    check(cudaMalloc(&slot.device_input, chunk_bytes));
    check(cudaMalloc(&slot.device_output, chunk_bytes));
    check(cudaStreamCreate(&slot.stream));
    check(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
    return slot;
}

void destroy(const Slot& slot) {
    check(cudaEventDestroy(slot.done));
    check(cudaStreamDestroy(slot.stream));
    check(cudaFree(slot.device_output));
    check(cudaFree(slot.device_input));
    check(cudaFreeHost(slot.host_output));
    check(cudaFreeHost(slot.host_input));
}

// [issue]
// Copy in, kernel, copy out, and the event behind them. Returns at once; the work may still have to begin.
void issue(const Slot& slot) {
    check(cudaMemcpyAsync(slot.device_input, slot.host_input, chunk_bytes, cudaMemcpyHostToDevice, slot.stream));
    process<<<chunk / 256, 256, 0, slot.stream>>>(slot.device_input, slot.device_output, chunk, kernel_rounds);
    check(cudaGetLastError());
    check(cudaMemcpyAsync(slot.host_output, slot.device_output, chunk_bytes, cudaMemcpyDeviceToHost, slot.stream));
    check(cudaEventRecord(slot.done, slot.stream));
}
// [/issue]

int main() {
    constexpr std::size_t count = 2;
    std::array<Slot, count> slots;
    for (Slot& slot : slots) {
        slot = create();
    }
    unsigned sum = 0;

    const double begin = now_us();
    // [loop]
    for (std::size_t i = 0; i < chunks; ++i) {
        const Slot& slot = slots[i % count];
        if (i >= count) {  // the slot holds a chunk: its results first
            check(cudaEventSynchronize(slot.done));
            consume(slot.host_output, sum);
        }
        produce(slot.host_input, i);
        issue(slot);
    }
    for (std::size_t i = chunks; i < chunks + count; ++i) {  // the chunks that are still in their slots, oldest first
        check(cudaEventSynchronize(slots[i % count].done));
        consume(slots[i % count].host_output, sum);
    }
    // [/loop]
    std::printf("%zu chunks, two slots: %.0f us (sum %u)\n", chunks, now_us() - begin, sum);

    for (const Slot& slot : slots) {
        destroy(slot);
    }
}
