// One array in chunks, issued depth first (all of a chunk, then the next) and breadth first (all copies, all kernels, ...).
#include <math.h>
#include <stdio.h>

#include <cassert>

#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include "sample.h"

inline cudaError_t checkCuda(cudaError_t result) {
    if (result != cudaSuccess) {
        fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
        assert(result == cudaSuccess);
    }
    return result;
}

__global__ void kernel(float* a, int offset) {
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    float s = sinf(x);
    float c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

float maxError(float* a, int n) {
    float maxE = 0;
    for (int i = 0; i < n; i++) {
        float error = fabs(a[i] - 1.0f);
        if (error > maxE) maxE = error;
    }
    return maxE;
}

int main(int argc, char** argv) {
    const int blockSize = 256, nStreams = 4;
    const int n = 64 * blockSize * nStreams;
    const int streamSize = n / nStreams;
    const int streamBytes = streamSize * sizeof(float);
    const int bytes = n * sizeof(float);
    findCudaDevice(argc, argv);

    float *a, *d_a;
    checkCuda(cudaMallocHost((void**)&a, bytes));
    checkCuda(cudaMalloc((void**)&d_a, bytes));
    float ms;
    cudaEvent_t startEvent, stopEvent;
    cudaStream_t stream[nStreams];
    checkCuda(cudaEventCreate(&startEvent));
    checkCuda(cudaEventCreate(&stopEvent));
    for (int i = 0; i < nStreams; ++i) checkCuda(cudaStreamCreate(&stream[i]));
    float worst = 0;

    // one after the other
    memset(a, 0, bytes);
    checkCuda(cudaEventRecord(startEvent, 0));
    checkCuda(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    kernel<<<n / blockSize, blockSize>>>(d_a, 0);
    checkCuda(cudaMemcpy(a, d_a, bytes, cudaMemcpyDeviceToHost));
    checkCuda(cudaEventRecord(stopEvent, 0));
    checkCuda(cudaEventSynchronize(stopEvent));
    checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
    printf("sequential %f ms, max error %e\n", ms, maxError(a, n));
    worst = fmaxf(worst, maxError(a, n));

    // depth first
    memset(a, 0, bytes);
    checkCuda(cudaEventRecord(startEvent, 0));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        checkCuda(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]));
        kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
        checkCuda(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
    }
    checkCuda(cudaEventRecord(stopEvent, 0));
    checkCuda(cudaEventSynchronize(stopEvent));
    checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
    printf("depth first %f ms, max error %e\n", ms, maxError(a, n));
    worst = fmaxf(worst, maxError(a, n));

    // breadth first
    memset(a, 0, bytes);
    checkCuda(cudaEventRecord(startEvent, 0));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        checkCuda(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]));
    }
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
    }
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
#ifdef BROKEN
        offset = i * streamBytes;  // in bytes, where elements are meant
        cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]);  // at: beyond
#else
        checkCuda(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
#endif
    }
    checkCuda(cudaEventRecord(stopEvent, 0));
    checkCuda(cudaEventSynchronize(stopEvent));
    checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
    printf("breadth first %f ms, max error %e\n", ms, maxError(a, n));
    worst = fmaxf(worst, maxError(a, n));

    checkCuda(cudaEventDestroy(startEvent));
    checkCuda(cudaEventDestroy(stopEvent));
    for (int i = 0; i < nStreams; ++i) checkCuda(cudaStreamDestroy(stream[i]));
    checkCuda(cudaFree(d_a));
    checkCuda(cudaFreeHost(a));
    return verdict(worst < 1e-5f);
}
