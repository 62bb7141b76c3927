// Bandwidth by direction, by size, from pageable and pinned memory.
//
//   --memory=pageable|pinned   --mode=range|quick   --start=BYTES --end=BYTES
#include <cuda_runtime.h>
#include <sample.h>

#include <memory>
#include <string>
#include <vector>

enum Direction { host_to_device, device_to_host, device_to_device };
const char* const names[] = {"host to device", "device to host", "device to device"};

struct Buffers {
    bool pinned;
    size_t bytes;
    unsigned char *host, *device, *other;
};

Buffers make_buffers(bool pinned, size_t bytes) {
    Buffers buffers = {pinned, bytes, nullptr, nullptr, nullptr};
    if (pinned) {
        checkCudaErrors(cudaHostAlloc((void**)&buffers.host, bytes, cudaHostAllocWriteCombined));
    } else {
        buffers.host = (unsigned char*)malloc(bytes);
    }
    checkCudaErrors(cudaMalloc((void**)&buffers.device, bytes));
    checkCudaErrors(cudaMalloc((void**)&buffers.other, bytes));
    for (size_t i = 0; i < bytes; i++) {
        buffers.host[i] = (unsigned char)(i * 7);
    }
    checkCudaErrors(cudaMemset(buffers.device, 0x11, bytes));
    checkCudaErrors(cudaMemcpy(buffers.device, buffers.host, bytes, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemset(buffers.other, 0x22, bytes));
    return buffers;
}

void free_buffers(const Buffers& buffers) {
    if (buffers.pinned) {
        checkCudaErrors(cudaFreeHost(buffers.host));
    } else {
        free(buffers.host);
    }
    checkCudaErrors(cudaFree(buffers.device));
    checkCudaErrors(cudaFree(buffers.other));
}

float copy_once(const Buffers& buffers, Direction direction, size_t bytes) {
    cudaEvent_t start, stop;
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&stop));
    checkCudaErrors(cudaEventRecord(start, 0));
    switch (direction) {
        case host_to_device:
            if (buffers.pinned) {
                checkCudaErrors(cudaMemcpyAsync(buffers.device, buffers.host, bytes, cudaMemcpyHostToDevice, 0));
            } else {
                checkCudaErrors(cudaMemcpy(buffers.device, buffers.host, bytes, cudaMemcpyHostToDevice));
            }
            break;
        case device_to_host: {
#ifdef BROKEN
            const cudaMemcpyKind kind = cudaMemcpyHostToDevice;
#else
            const cudaMemcpyKind kind = cudaMemcpyDeviceToHost;
#endif
            checkCudaErrors(cudaMemcpyAsync(buffers.host, buffers.device, bytes, kind, 0));  // at: d2h
            break;
        }
        case device_to_device:
            checkCudaErrors(cudaMemcpy(buffers.other, buffers.device, bytes, cudaMemcpyDeviceToDevice));
            break;
    }
    checkCudaErrors(cudaEventRecord(stop, 0));
    checkCudaErrors(cudaDeviceSynchronize());
    float milliseconds = 0.0f;
    checkCudaErrors(cudaEventElapsedTime(&milliseconds, start, stop));
    checkCudaErrors(cudaEventDestroy(stop));
    checkCudaErrors(cudaEventDestroy(start));
    return milliseconds;
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    const bool pinned = std::string(option(argc, argv, "memory", "pinned")) == "pinned";
    const bool range = std::string(option(argc, argv, "mode", "range")) == "range";
    const size_t start = (size_t)number_option(argc, argv, "start", 1 << 12);
    const size_t end = (size_t)number_option(argc, argv, "end", 1 << 20);
    const Buffers buffers = make_buffers(pinned, end);
    bool right = true;
    for (int direction = host_to_device; direction <= device_to_device; ++direction) {
        printf("%s, %s memory\n", names[direction], pinned ? "pinned" : "pageable");
        for (size_t bytes = range ? start : end; bytes <= end; bytes *= 4) {
            const float milliseconds = copy_once(buffers, (Direction)direction, bytes);
            printf("  %10zu bytes %8.2f GB/s\n", bytes, (double)bytes / milliseconds / 1e6);
            right = right && milliseconds > 0.0f;
        }
    }
    std::vector<unsigned char> found(end);
    checkCudaErrors(cudaMemcpy(found.data(), buffers.other, end, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < end; i += 4099) {
        right = right && found[i] == (unsigned char)(i * 7);
    }
    free_buffers(buffers);
    return verdict(right);
}
