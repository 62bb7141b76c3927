// Copies in both directions and kernels, in a ring of buffers; callbacks in the streams and threads on the host take the
// results on.
#include <cuda_runtime.h>
#include <sample.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

constexpr int ring = 4;
constexpr int frames = 12;
constexpr int n = 1 << 12;
constexpr size_t memsize = n * sizeof(int);

__global__ void inc_kernel(int* g_out, const int* g_in, int size, int inner_reps) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < size) {
        for (int i = 0; i < inner_reps; ++i) {
            g_out[idx] = g_in[idx] + 1;
        }
    }
}

struct Frame {
    const int* data;
    int expected;
    std::atomic<int>* right;
};

void CUDART_CB judge(void* data) {
    const Frame* frame = static_cast<Frame*>(data);
    int good = 0;
    for (int i = 0; i < n; ++i) {
        good += frame->data[i] == frame->expected + 1;
    }
    *frame->right += good == n;
}

void CUDART_CB count(cudaStream_t, cudaError_t status, void* data) {
    if (status == cudaSuccess) {
        ++*static_cast<std::atomic<int>*>(data);
    }
}

struct Slot {
    int *h_in, *h_out, *d_in, *d_out;
    cudaStream_t stream;
    cudaEvent_t done;
};

// A ring of buffers: before the host fills one again, the last work that used it has to be done.
int process_with_ring() {
    std::atomic<int> right(0), counted(0);
    std::vector<Slot> slots(ring);
    std::vector<Frame> all(frames);
    for (Slot& slot : slots) {
        checkCudaErrors(cudaHostAlloc(&slot.h_in, memsize, cudaHostAllocDefault));
        checkCudaErrors(cudaHostAlloc(&slot.h_out, memsize, cudaHostAllocDefault));
        checkCudaErrors(cudaMalloc(&slot.d_in, memsize));
        checkCudaErrors(cudaMalloc(&slot.d_out, memsize));
        checkCudaErrors(cudaStreamCreate(&slot.stream));
        checkCudaErrors(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
        checkCudaErrors(cudaEventRecord(slot.done, slot.stream));
    }
    for (int f = 0; f < frames; ++f) {
        Slot& slot = slots[f % ring];
#ifndef BROKEN
        checkCudaErrors(cudaEventSynchronize(slot.done));
#endif
        for (int i = 0; i < n; ++i) {
            slot.h_in[i] = 100 * f;  // at: filled
        }
        checkCudaErrors(cudaMemcpyAsync(slot.d_in, slot.h_in, memsize, cudaMemcpyHostToDevice, slot.stream));
        inc_kernel<<<(n + 255) / 256, 256, 0, slot.stream>>>(slot.d_out, slot.d_in, n, 2);
        getLastCudaError("inc_kernel");
        checkCudaErrors(cudaMemcpyAsync(slot.h_out, slot.d_out, memsize, cudaMemcpyDeviceToHost, slot.stream));
        all[f] = Frame{slot.h_out, 100 * f, &right};
        checkCudaErrors(cudaLaunchHostFunc(slot.stream, judge, &all[f]));
        checkCudaErrors(cudaStreamAddCallback(slot.stream, count, &counted, 0));
        checkCudaErrors(cudaEventRecord(slot.done, slot.stream));
    }
    checkCudaErrors(cudaDeviceSynchronize());
    for (Slot& slot : slots) {
        checkCudaErrors(cudaFreeHost(slot.h_in));
        checkCudaErrors(cudaFreeHost(slot.h_out));
        checkCudaErrors(cudaFree(slot.d_in));
        checkCudaErrors(cudaFree(slot.d_out));
        checkCudaErrors(cudaEventDestroy(slot.done));
        checkCudaErrors(cudaStreamDestroy(slot.stream));
    }
    return counted == frames ? right.load() : 0;
}

// One workload for each host thread, with a stream and buffers of its own.
void process_alone(int device, int id, std::mutex& mutex, int& right) {
    checkCudaErrors(cudaSetDevice(device));
    std::vector<int> out(n);
    int *h_in = nullptr, *d_in = nullptr, *d_out = nullptr;
    cudaStream_t stream;
    checkCudaErrors(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    checkCudaErrors(cudaMallocHost(&h_in, memsize));
    checkCudaErrors(cudaMalloc(&d_in, memsize));
    checkCudaErrors(cudaMalloc(&d_out, memsize));
    for (int i = 0; i < n; ++i) {
        h_in[i] = id;
    }
    checkCudaErrors(cudaMemcpyAsync(d_in, h_in, memsize, cudaMemcpyHostToDevice, stream));
    inc_kernel<<<(n + 255) / 256, 256, 0, stream>>>(d_out, d_in, n, 1);
    checkCudaErrors(cudaMemcpyAsync(h_in, d_out, memsize, cudaMemcpyDeviceToHost, stream));
    checkCudaErrors(cudaStreamSynchronize(stream));
    bool good = true;
    for (int i = 0; i < n; ++i) {
        good = good && h_in[i] == id + 1;
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        right += good;
    }
    checkCudaErrors(cudaFree(d_in));
    checkCudaErrors(cudaFree(d_out));
    checkCudaErrors(cudaFreeHost(h_in));
    checkCudaErrors(cudaStreamDestroy(stream));
}

int main(int argc, char** argv) {
    const int device = findCudaDevice(argc, argv);
    const int from_ring = process_with_ring();
    std::mutex mutex;
    int from_threads = 0;
    std::vector<std::thread> threads;
    for (int id = 0; id < ring; ++id) {
        threads.emplace_back(process_alone, device, id, std::ref(mutex), std::ref(from_threads));
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    printf("%d of %d frames, %d of %d threads\n", from_ring, frames, from_threads, ring);
    return verdict(from_ring == frames && from_threads == ring);
}
