// A Gaussian blur of an image, in chunks of rows in several streams. A chunk reads some rows of its neighbours: its kernel
// waits for their copies too.
#include <cuda_runtime.h>
#include <sample.h>

#include <algorithm>
#include <vector>

constexpr int radius = 2;
constexpr int taps = 2 * radius + 1;
constexpr int tile_width = 32;
constexpr int tile_height = 8;
constexpr int width = 160;
constexpr int height = 96;
constexpr int chunks = 6;
constexpr int rows_per_chunk = height / chunks;

__constant__ float weights[taps];

__device__ __forceinline__ int clamp_to(int value, int limit) { return max(0, min(value, limit - 1)); }

__global__ void __launch_bounds__(tile_width* tile_height)
    blur(const float4* __restrict__ in, float4* __restrict__ out, int first_row, int rows) {
    __shared__ float4 tile[tile_height + 2 * radius][tile_width + 2 * radius];
    const int x0 = blockIdx.x * tile_width - radius;
    const int y0 = first_row + blockIdx.y * tile_height - radius;
    for (int y = threadIdx.y; y < tile_height + 2 * radius; y += tile_height) {
        for (int x = threadIdx.x; x < tile_width + 2 * radius; x += tile_width) {
            tile[y][x] = __ldg(&in[clamp_to(y0 + y, height) * width + clamp_to(x0 + x, width)]);
        }
    }
    __syncthreads();
    const int x = blockIdx.x * tile_width + threadIdx.x;
    const int y = blockIdx.y * tile_height + threadIdx.y;
    if (x >= width || y >= rows) {
        return;
    }
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int dy = 0; dy < taps; ++dy) {
#pragma unroll
        for (int dx = 0; dx < taps; ++dx) {
            const float4 pixel = tile[threadIdx.y + dy][threadIdx.x + dx];
            const float weight = weights[dy] * weights[dx];
            sum.x += weight * pixel.x;
            sum.y += weight * pixel.y;
            sum.z += weight * pixel.z;
            sum.w = 1.0f;
        }
    }
    out[(first_row + y) * width + x] = sum;
}

void blur_on_host(const float4* in, std::vector<float4>& out, const float* weight) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            float4 sum = make_float4(0.0f, 0.0f, 0.0f, 1.0f);
            for (int dy = -radius; dy <= radius; ++dy) {
                for (int dx = -radius; dx <= radius; ++dx) {
                    const int yy = std::clamp(y + dy, 0, height - 1), xx = std::clamp(x + dx, 0, width - 1);
                    const float w = weight[dy + radius] * weight[dx + radius];
                    sum.x += w * in[yy * width + xx].x;
                    sum.y += w * in[yy * width + xx].y;
                    sum.z += w * in[yy * width + xx].z;
                }
            }
            out[y * width + x] = sum;
        }
    }
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    const int nstreams = number_option(argc, argv, "streams", 3);
    const size_t pixels = (size_t)width * height;
    float4 *h_in, *h_out, *d_in, *d_out;
    checkCudaErrors(cudaMallocHost(&h_in, pixels * sizeof(float4)));
    checkCudaErrors(cudaMallocHost(&h_out, pixels * sizeof(float4)));
    checkCudaErrors(cudaMalloc(&d_in, pixels * sizeof(float4)));
    checkCudaErrors(cudaMalloc(&d_out, pixels * sizeof(float4)));
    for (size_t i = 0; i < pixels; ++i) {
        h_in[i] = make_float4((float)(i % 251), (float)(i % 13), (float)(i / width), 1.0f);
    }
    float h_weights[taps];
    float total = 0.0f;
    for (int i = 0; i < taps; ++i) {
        h_weights[i] = expf(-0.5f * (i - radius) * (i - radius));
        total += h_weights[i];
    }
    for (float& weight : h_weights) {
        weight /= total;
    }
    checkCudaErrors(cudaMemcpyToSymbol(weights, h_weights, sizeof h_weights));

    std::vector<cudaStream_t> streams(nstreams);
    for (cudaStream_t& stream : streams) {
        checkCudaErrors(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    std::vector<cudaEvent_t> copied(chunks);
    for (cudaEvent_t& event : copied) {
        checkCudaErrors(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    }
    checkCudaErrors(cudaDeviceSynchronize());

    const size_t chunk_bytes = (size_t)rows_per_chunk * width * sizeof(float4);
    for (int c = 0; c < chunks; ++c) {
        const size_t at = (size_t)c * rows_per_chunk * width;
        checkCudaErrors(
            cudaMemcpyAsync(d_in + at, h_in + at, chunk_bytes, cudaMemcpyHostToDevice, streams[c % nstreams]));
        checkCudaErrors(cudaEventRecord(copied[c], streams[c % nstreams]));
    }
    const dim3 block(tile_width, tile_height);
    const dim3 grid((width + tile_width - 1) / tile_width, (rows_per_chunk + tile_height - 1) / tile_height);
    for (int c = 0; c < chunks; ++c) {
        const cudaStream_t stream = streams[c % nstreams];
        const size_t at = (size_t)c * rows_per_chunk * width;
#ifndef BROKEN
        for (int neighbour : {c - 1, c + 1}) {
            if (neighbour >= 0 && neighbour < chunks) {
                checkCudaErrors(cudaStreamWaitEvent(stream, copied[neighbour], 0));
            }
        }
#endif
        blur<<<grid, block, 0, stream>>>(d_in, d_out, c * rows_per_chunk, rows_per_chunk);  // at: blurs
        getLastCudaError("blur");
        checkCudaErrors(cudaMemcpyAsync(h_out + at, d_out + at, chunk_bytes, cudaMemcpyDeviceToHost, stream));
    }
    checkCudaErrors(cudaDeviceSynchronize());

    std::vector<float4> expected(pixels);
    blur_on_host(h_in, expected, h_weights);
    int wrong = 0;
    for (size_t i = 0; i < pixels; ++i) {
        wrong += !(fabsf(h_out[i].x - expected[i].x) < 1e-2f && fabsf(h_out[i].y - expected[i].y) < 1e-2f &&
                   fabsf(h_out[i].z - expected[i].z) < 1e-2f && h_out[i].w == 1.0f);
    }
    printf("%d pixels wrong of %zu\n", wrong, pixels);
    for (cudaStream_t stream : streams) {
        checkCudaErrors(cudaStreamDestroy(stream));
    }
    for (cudaEvent_t event : copied) {
        checkCudaErrors(cudaEventDestroy(event));
    }
    checkCudaErrors(cudaFree(d_in));
    checkCudaErrors(cudaFree(d_out));
    checkCudaErrors(cudaFreeHost(h_in));
    checkCudaErrors(cudaFreeHost(h_out));
    return verdict(wrong == 0);
}
