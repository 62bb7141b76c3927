// Managed memory: the same pointers on host and device, with advice and prefetches.
#include <cuda_runtime.h>
#include <sample.h>

__global__ void vectorAdd(const float* A, const float* B, float* C, int numElements) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    for (; i < numElements; i += stride) {
        C[i] = A[i] + B[i] + 0.0f;
    }
}

int main(int argc, char** argv) {
    const int device = findCudaDevice(argc, argv);
    const int numElements = 50000;
    const size_t size = numElements * sizeof(float);
    cudaMemLocation on_device = {cudaMemLocationTypeDevice, device};
    cudaMemLocation on_host = {cudaMemLocationTypeHost, 0};

    float *A, *B, *C;
    checkCudaErrors(cudaMallocManaged(&A, size));
    checkCudaErrors(cudaMallocManaged(&B, size));
    checkCudaErrors(cudaMallocManaged(&C, size, cudaMemAttachGlobal));
    for (int i = 0; i < numElements; ++i) {
        A[i] = rand() / (float)RAND_MAX;
        B[i] = rand() / (float)RAND_MAX;
    }
    checkCudaErrors(cudaMemAdvise(A, size, cudaMemAdviseSetReadMostly, on_device));
    checkCudaErrors(cudaMemPrefetchAsync(A, size, on_device, 0));
    checkCudaErrors(cudaMemPrefetchAsync(B, size, on_device, 0));

    int threadsPerBlock = 256;
    int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
    vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(A, B, C, numElements);
    getLastCudaError("vectorAdd");
#ifndef BROKEN
    checkCudaErrors(cudaMemPrefetchAsync(C, size, on_host, 0));
    checkCudaErrors(cudaDeviceSynchronize());
#else
    checkCudaErrors(on_host.type == cudaMemLocationTypeHost ? cudaSuccess : cudaErrorUnknown);
#endif
    float maxError = 0.0f;
    for (int i = 0; i < numElements; ++i) {
        maxError = fmaxf(maxError, fabsf(A[i] + B[i] - C[i]));  // at: read
    }
    checkCudaErrors(cudaDeviceSynchronize());
    printf("max error %g\n", maxError);
    checkCudaErrors(cudaFree(A));
    checkCudaErrors(cudaFree(B));
    checkCudaErrors(cudaFree(C));
    checkCudaErrors(cudaDeviceReset());
    return verdict(maxError < 1e-6f);
}
