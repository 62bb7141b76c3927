#include "stages.h"

#include <sample.h>

namespace stages {
namespace {

__constant__ float factor;

__global__ void square(float* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = squared(data[i]) * factor;
    }
}

}  // namespace

Pipeline::Pipeline(int n) : n_(n) {
    const float two = 2.0f;
    checkCudaErrors(cudaStreamCreate(&stream_));
    checkCudaErrors(cudaMalloc(&data_, n_ * sizeof(float)));
    checkCudaErrors(cudaMemcpyToSymbol(factor, &two, sizeof two));
}

void Pipeline::upload(const float* host) {
    checkCudaErrors(cudaMemcpyAsync(data_, host, n_ * sizeof(float), cudaMemcpyHostToDevice, stream_));
}

void Pipeline::square_and_double() {
    square<<<(n_ + 127) / 128, 128, 0, stream_>>>(data_, n_);
    getLastCudaError("square");
}

void Pipeline::download(float* host) {
    checkCudaErrors(cudaMemcpyAsync(host, data_, n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    checkCudaErrors(cudaStreamSynchronize(stream_));
}

void Pipeline::release() { checkCudaErrors(cudaFree(data_)); }

void Pipeline::finish() { checkCudaErrors(cudaStreamDestroy(stream_)); }

}  // namespace stages
