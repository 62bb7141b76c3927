// Asynchronous calls: the host counts while the device copies and computes, and asks an event how far it is.
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <sample.h>

#include <chrono>

__global__ void increment_kernel(int* g_data, int inc_value) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    g_data[idx] = g_data[idx] + inc_value;
}

bool correct_output(const int* data, const int n, const int x) {
    for (int i = 0; i < n; i++) {
        if (data[i] != x) {  // at: read
            printf("data[%d] = %d, expected %d\n", i, data[i], x);
            return false;
        }
    }
    return true;
}

int main(int argc, char* argv[]) {
    findCudaDevice(argc, argv);
    const int n = 1 << 18;
    const size_t nbytes = n * sizeof(int);
    const int value = 26;

    int* a = 0;
    checkCudaErrors(cudaMallocHost((void**)&a, nbytes));
    memset(a, 0, nbytes);
    int* d_a = 0;
    checkCudaErrors(cudaMalloc((void**)&d_a, nbytes));
    checkCudaErrors(cudaMemset(d_a, 255, nbytes));

    dim3 threads = dim3(512, 1);
    dim3 blocks = dim3(n / threads.x, 1);

    cudaEvent_t start, stop;
    checkCudaErrors(cudaEventCreate(&start));
    checkCudaErrors(cudaEventCreate(&stop));
    checkCudaErrors(cudaDeviceSynchronize());

    const auto host_start = std::chrono::steady_clock::now();
    checkCudaErrors(cudaProfilerStart());
    cudaEventRecord(start, 0);
    cudaMemcpyAsync(d_a, a, nbytes, cudaMemcpyHostToDevice, 0);
    increment_kernel<<<blocks, threads, 0, 0>>>(d_a, value);
    cudaMemcpyAsync(a, d_a, nbytes, cudaMemcpyDeviceToHost, 0);
    cudaEventRecord(stop, 0);
    checkCudaErrors(cudaProfilerStop());
    const auto host_stop = std::chrono::steady_clock::now();

    unsigned long counter = 0;
#ifdef BROKEN
    counter = 1;
#else
    while (cudaEventQuery(stop) == cudaErrorNotReady) {
        counter++;
    }
#endif
    const bool right = correct_output(a, n, value);

    float gpu_time = 0.0f;
    checkCudaErrors(cudaEventSynchronize(stop));
    checkCudaErrors(cudaEventElapsedTime(&gpu_time, start, stop));
    const double host_time = std::chrono::duration<double, std::milli>(host_stop - host_start).count();
    printf("time spent by the GPU: %.3f ms, by the host in CUDA calls: %.3f ms\n", gpu_time, host_time);
    printf("the host counted to %lu meanwhile\n", counter);

    checkCudaErrors(cudaEventDestroy(start));
    checkCudaErrors(cudaEventDestroy(stop));
    checkCudaErrors(cudaFreeHost(a));
    checkCudaErrors(cudaFree(d_a));
    return verdict(right && counter > 0 && gpu_time > 0.0f);
}
