// Several source files, a header found by -I, a macro from the command line (-D ELEMENTS=...).
#include <sample.h>

#include <vector>

#include "stages.h"

#ifndef ELEMENTS
#error "build with -D ELEMENTS=..."
#endif

__global__ void offset(float* data, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] += by;  // at: write in offset
    }
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    const int n = ELEMENTS;
    std::vector<float> values(n, 1.0f);
    stages::Pipeline pipeline(n);
    pipeline.upload(values.data());
    pipeline.square_and_double();
#ifdef BROKEN
    float* const data = pipeline.data();
    pipeline.release();
    offset<<<(n + 127) / 128, 128, 0, pipeline.stream()>>>(data, n, 3.0f);
    checkCudaErrors(cudaDeviceSynchronize());
    pipeline.finish();
    return verdict(false);
#else
    offset<<<(n + 127) / 128, 128, 0, pipeline.stream()>>>(pipeline.data(), n, 3.0f);
    pipeline.download(values.data());
    bool right = true;
    for (const float value : values) {
        right = right && value == 5.0f;
    }
    pipeline.release();
    pipeline.finish();
    return verdict(right);
#endif
}
