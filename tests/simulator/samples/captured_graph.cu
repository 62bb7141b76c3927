// A pipeline with a fork and a join, captured once and launched many times.
#include <cuda_runtime.h>
#include <sample.h>

#include <vector>

constexpr int n = 1 << 12;
constexpr size_t bytes = n * sizeof(float);
constexpr int launches = 20;

__global__ void scale(float* out, const float* in, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = factor * in[i];
}

__global__ void add(float* out, const float* a, const float* b) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[i];
}

void CUDART_CB next_input(void* data) {
    float* const in = static_cast<float*>(data);
    for (int i = 0; i < n; ++i) {
        in[i] += 1.0f;
    }
}

int main(int argc, char** argv) {
    findCudaDevice(argc, argv);
    float *h_in, *h_out, *d_in, *d_twice, *d_thrice, *d_out;
    checkCudaErrors(cudaMallocHost(&h_in, bytes));
    checkCudaErrors(cudaMallocHost(&h_out, bytes));
    for (float** buffer : {&d_in, &d_twice, &d_thrice, &d_out}) {
        checkCudaErrors(cudaMalloc(buffer, bytes));
    }
    for (int i = 0; i < n; ++i) {
        h_in[i] = (float)(i % 64);
    }
    cudaStream_t stream, branch;
    checkCudaErrors(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    checkCudaErrors(cudaStreamCreateWithFlags(&branch, cudaStreamNonBlocking));
    cudaEvent_t forked, joined;
    checkCudaErrors(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    checkCudaErrors(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));

    const dim3 block(256), grid(n / block.x);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    checkCudaErrors(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    checkCudaErrors(cudaMemcpyAsync(d_in, h_in, bytes, cudaMemcpyHostToDevice, stream));
    checkCudaErrors(cudaEventRecord(forked, stream));
    checkCudaErrors(cudaStreamWaitEvent(branch, forked, 0));
    scale<<<grid, block, 0, stream>>>(d_twice, d_in, 2.0f);
    scale<<<grid, block, 0, branch>>>(d_thrice, d_in, 3.0f);
    checkCudaErrors(cudaEventRecord(joined, branch));
#ifdef BROKEN
    add<<<grid, block, 0, stream>>>(d_out, d_twice, d_thrice);  // at: adds too early
    checkCudaErrors(cudaStreamWaitEvent(stream, joined, 0));
#else
    checkCudaErrors(cudaStreamWaitEvent(stream, joined, 0));
    add<<<grid, block, 0, stream>>>(d_out, d_twice, d_thrice);
#endif
    checkCudaErrors(cudaMemcpyAsync(h_out, d_out, bytes, cudaMemcpyDeviceToHost, stream));
    checkCudaErrors(cudaLaunchHostFunc(stream, next_input, h_in));
    checkCudaErrors(cudaStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    checkCudaErrors(cudaGraphGetNodes(graph, nullptr, &nodes));
    printf("%zu nodes\n", nodes);
    checkCudaErrors(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));

    for (int launch = 0; launch < launches; ++launch) {
        checkCudaErrors(cudaGraphLaunch(exec, stream));
    }
    checkCudaErrors(cudaStreamSynchronize(stream));
    bool right = nodes == 6;
    for (int i = 0; i < n; ++i) {
        right = right && h_out[i] == 5.0f * (float)(i % 64 + launches - 1);
    }

    checkCudaErrors(cudaGraphExecDestroy(exec));
    checkCudaErrors(cudaGraphDestroy(graph));
    checkCudaErrors(cudaEventDestroy(forked));
    checkCudaErrors(cudaEventDestroy(joined));
    checkCudaErrors(cudaStreamDestroy(stream));
    checkCudaErrors(cudaStreamDestroy(branch));
    for (float* buffer : {d_in, d_twice, d_thrice, d_out}) {
        checkCudaErrors(cudaFree(buffer));
    }
    checkCudaErrors(cudaFreeHost(h_in));
    checkCudaErrors(cudaFreeHost(h_out));
    return verdict(right);
}
