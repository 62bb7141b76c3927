// Kernels and copies of one array in several streams; the array on the host is pinned, registered, or mapped.
//
//   --memory=pinned|registered|mapped   --streams=N   --sync=spin|yield|blocking
#include <cuda_runtime.h>
#include <sample.h>

#include <cstdint>
#include <string>
#include <vector>

#define MEMORY_ALIGNMENT 4096
#define ALIGN_UP(x, size) (((size_t)x + (size - 1)) & (~(size - 1)))

__global__ void init_array(int* g_data, const int* factor, int num_iterations) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < num_iterations; i++) {
        g_data[idx] += *factor;
    }
}

bool correct_data(const int* a, const int n, const int c) {
    for (int i = 0; i < n; i++) {
        if (a[i] != c) {  // at: read
            printf("%d: %d %d\n", i, a[i], c);
            return false;
        }
    }
    return true;
}

struct HostMemory {
    std::string kind;
    void* unaligned;
    int* aligned;
};

HostMemory allocate_host(const std::string& kind, size_t nbytes) {
    HostMemory memory = {kind, nullptr, nullptr};
    if (kind == "registered") {
        memory.unaligned = malloc(nbytes + MEMORY_ALIGNMENT);
        memory.aligned = (int*)ALIGN_UP(memory.unaligned, MEMORY_ALIGNMENT);
        checkCudaErrors(cudaHostRegister(memory.aligned, nbytes, cudaHostRegisterMapped));
    } else if (kind == "mapped") {
        checkCudaErrors(cudaHostAlloc((void**)&memory.aligned, nbytes, cudaHostAllocMapped));
    } else {
        checkCudaErrors(cudaMallocHost((void**)&memory.aligned, nbytes));
    }
    return memory;
}

void free_host(const HostMemory& memory) {
    if (memory.kind == "registered") {
        checkCudaErrors(cudaHostUnregister(memory.aligned));
        free(memory.unaligned);
    } else {
        checkCudaErrors(cudaFreeHost(memory.aligned));
    }
}

int main(int argc, char** argv) {
    const int nstreams = number_option(argc, argv, "streams", 4);
    const int nreps = 3;
    const int n = 1 << 16;
    const size_t nbytes = n * sizeof(int);
    const int c = 5;
    const int niterations = 4;
    const std::string kind = option(argc, argv, "memory", "pinned");
    const std::string sync = option(argc, argv, "sync", "yield");

    findCudaDevice(argc, argv);
    const unsigned schedule = sync == "spin"       ? cudaDeviceScheduleSpin
                              : sync == "blocking" ? cudaDeviceScheduleBlockingSync
                                                   : cudaDeviceScheduleYield;
    checkCudaErrors(cudaSetDeviceFlags(schedule | (kind == "mapped" ? cudaDeviceMapHost : 0)));

    HostMemory host = allocate_host(kind, nbytes);
    int* h_a = host.aligned;
    int *d_a = 0, *d_c = 0;
    if (kind == "mapped") {
        checkCudaErrors(cudaHostGetDevicePointer((void**)&d_a, (void*)h_a, 0));
    } else {
        checkCudaErrors(cudaMalloc((void**)&d_a, nbytes));
    }
    checkCudaErrors(cudaMalloc((void**)&d_c, sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_c, &c, sizeof(int), cudaMemcpyHostToDevice));

    std::vector<cudaStream_t> streams(nstreams);
    for (int i = 0; i < nstreams; i++) {
        checkCudaErrors(cudaStreamCreate(&streams[i]));
    }
    cudaEvent_t start_event, stop_event;
    const unsigned eventflags = sync == "blocking" ? cudaEventBlockingSync : cudaEventDefault;
    checkCudaErrors(cudaEventCreateWithFlags(&start_event, eventflags));
    checkCudaErrors(cudaEventCreateWithFlags(&stop_event, eventflags));

    dim3 threads(256, 1);
    dim3 blocks(n / (nstreams * threads.x), 1);
    memset(h_a, 255, nbytes);
    if (kind != "mapped") {
        checkCudaErrors(cudaMemset(d_a, 0, nbytes));
    } else {
        memset(h_a, 0, nbytes);
    }
    checkCudaErrors(cudaEventRecord(start_event, 0));
    for (int k = 0; k < nreps; k++) {
        for (int i = 0; i < nstreams; i++) {
            init_array<<<blocks, threads, 0, streams[i]>>>(d_a + i * n / nstreams, d_c, niterations);
        }
        for (int i = 0; i < nstreams && kind != "mapped"; i++) {
            checkCudaErrors(cudaMemcpyAsync(h_a + i * n / nstreams, d_a + i * n / nstreams, nbytes / nstreams,
                                            cudaMemcpyDeviceToHost, streams[i]));
        }
    }
#ifdef BROKEN
    checkCudaErrors(cudaStreamSynchronize(streams[0]));
#else
    checkCudaErrors(cudaEventRecord(stop_event, 0));
    checkCudaErrors(cudaEventSynchronize(stop_event));
    float elapsed = 0.0f;
    checkCudaErrors(cudaEventElapsedTime(&elapsed, start_event, stop_event));
    printf("%s memory, %d streams: %.3f ms\n", kind.c_str(), nstreams, elapsed / nreps);
#endif
    const bool right = correct_data(h_a, n, c * nreps * niterations);

    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0; i < nstreams; i++) {
        checkCudaErrors(cudaStreamDestroy(streams[i]));
    }
    checkCudaErrors(cudaEventDestroy(start_event));
    checkCudaErrors(cudaEventDestroy(stop_event));
    free_host(host);
    if (kind != "mapped") {
        checkCudaErrors(cudaFree(d_a));
    }
    checkCudaErrors(cudaFree(d_c));
    return verdict(right);
}
