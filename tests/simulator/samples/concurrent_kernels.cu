// Many small kernels, each in a stream of its own; the last stream waits for all the others and sums up.
#include <cuda_runtime.h>
#include <sample.h>

// Keeps one thread busy for at least that many cycles.
__global__ void clock_block(long long* d_o, long long clock_count) {
    long long start_clock = clock64();
    long long clock_offset = 0;
    while (clock_offset < clock_count) {
        clock_offset = clock64() - start_clock;
    }
    d_o[0] = clock_offset;
}

__global__ void sum(long long* d_clocks, int n) {
    __shared__ long long s_clocks[32];
    long long my_sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        my_sum += d_clocks[i];
    }
    s_clocks[threadIdx.x] = my_sum;
    __syncthreads();
    for (int i = 16; i > 0; i /= 2) {
        if (threadIdx.x < i) {
            s_clocks[threadIdx.x] += s_clocks[threadIdx.x + i];
        }
        __syncthreads();
    }
    d_clocks[0] = s_clocks[0];
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    const int nkernels = number_option(argc, argv, "kernels", 32);
    const int nstreams = nkernels + 1;
    const long long clocks = 200000;
    int concurrent = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentKernels, 0));
    printf("concurrent kernels: %d\n", concurrent);

    long long *a = 0, *d_a = 0;
    const size_t nbytes = nkernels * sizeof(long long);
    checkCudaErrors(cudaMallocHost((void**)&a, nbytes));
    checkCudaErrors(cudaMalloc((void**)&d_a, nbytes));

    cudaStream_t* streams = (cudaStream_t*)malloc(nstreams * sizeof(cudaStream_t));
    for (int i = 0; i < nstreams; i++) {
        checkCudaErrors(cudaStreamCreate(&(streams[i])));
    }
    cudaEvent_t start_event, stop_event;
    checkCudaErrors(cudaEventCreate(&start_event));
    checkCudaErrors(cudaEventCreate(&stop_event));
    cudaEvent_t* kernelEvent = (cudaEvent_t*)malloc(nkernels * sizeof(cudaEvent_t));
    for (int i = 0; i < nkernels; i++) {
        checkCudaErrors(cudaEventCreateWithFlags(&(kernelEvent[i]), cudaEventDisableTiming));
    }

    checkCudaErrors(cudaEventRecord(start_event, 0));
    for (int i = 0; i < nkernels; ++i) {
        clock_block<<<1, 1, 0, streams[i]>>>(&d_a[i], clocks);
        checkCudaErrors(cudaEventRecord(kernelEvent[i], streams[i]));
#ifndef BROKEN
        checkCudaErrors(cudaStreamWaitEvent(streams[nstreams - 1], kernelEvent[i], 0));
#endif
    }
    sum<<<1, 32, 0, streams[nstreams - 1]>>>(d_a, nkernels);  // at: sums up
    checkCudaErrors(cudaMemcpyAsync(a, d_a, sizeof(long long), cudaMemcpyDeviceToHost, streams[nstreams - 1]));
    checkCudaErrors(cudaEventRecord(stop_event, 0));
    checkCudaErrors(cudaEventSynchronize(stop_event));
    float elapsed = 0.0f;
    checkCudaErrors(cudaEventElapsedTime(&elapsed, start_event, stop_event));
    printf("%d kernels of %lld cycles: %.3f ms\n", nkernels, clocks, elapsed);
    const bool right = a[0] >= clocks * nkernels;

    for (int i = 0; i < nkernels; i++) {
        checkCudaErrors(cudaStreamDestroy(streams[i]));
        checkCudaErrors(cudaEventDestroy(kernelEvent[i]));
    }
    checkCudaErrors(cudaStreamDestroy(streams[nkernels]));
    free(streams);
    free(kernelEvent);
    checkCudaErrors(cudaEventDestroy(start_event));
    checkCudaErrors(cudaEventDestroy(stop_event));
    checkCudaErrors(cudaFreeHost(a));
    checkCudaErrors(cudaFree(d_a));
    return verdict(right);
}
