#pragma once

#include <cuda_runtime.h>

namespace stages {

__host__ __device__ inline float squared(float x) { return x * x; }

// An array on the device and a stream for all that happens to it.
class Pipeline {
public:
    explicit Pipeline(int n);
    void upload(const float* host);
    void square_and_double();
    void download(float* host);
    void release();
    void finish();
    float* data() const { return data_; }
    cudaStream_t stream() const { return stream_; }

private:
    int n_ = 0;
    float* data_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

}  // namespace stages
