// What calls return when they are used wrongly. Compiled for a GPU too, so that a real one can be compared.
#include "cases.h"

namespace {

__global__ void nothing() {}

constexpr std::size_t bytes = 4096;

cudaError_t launched() { return cudaGetLastError(); }

// The documented error, or the one that CUDA 13.0 gives.
bool refused() {
    const cudaError_t error = cudaGetLastError();
    return error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue;
}

void invalid_handles() {
    cudaEvent_t event = nullptr;
    CALL(cudaEventCreate(&event));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr, nullptr));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventSynchronize(nullptr));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(nullptr, nullptr, 0));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
    CALL(cudaEventDestroy(event));
}

void null_pointers() {
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc(static_cast<void**>(nullptr), bytes));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocHost(static_cast<void**>(nullptr), bytes));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaEventCreate(static_cast<cudaEvent_t*>(nullptr)));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetDevice(nullptr));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetDeviceProperties(nullptr, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(nullptr, 0, bytes));
    unsigned* device = nullptr;
    CALL(cudaMalloc(&device, bytes));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(device, nullptr, bytes, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(nullptr, device, bytes, cudaMemcpyDeviceToHost));
    CALL(cudaFree(device));
    CALL(cudaFree(nullptr));
    CALL(cudaFreeHost(nullptr));
}

void invalid_flags_and_devices() {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    int value = 0;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 0x80));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 0x80));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(64));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 64));
    CALL(cudaSetDevice(0));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaGetLastError());  // a later success does not clear it
}

void no_direction() {
    unsigned* device = nullptr;
    unsigned* pinned = nullptr;
    CALL(cudaMalloc(&device, bytes));
    CALL(cudaMallocHost(&pinned, bytes));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(pinned, device, bytes, static_cast<cudaMemcpyKind>(9)));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection, cudaGetLastError());
    CALL(cudaMemcpy(device, pinned, bytes, cudaMemcpyDefault));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFree(device));
}

void invalid_memory() {
    unsigned* device = nullptr;
    unsigned* pinned = nullptr;
    static unsigned ordinary[bytes / sizeof(unsigned)];
    CALL(cudaMalloc(&device, bytes));
    CALL(cudaMallocHost(&pinned, bytes));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(ordinary));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFreeHost(ordinary));
    EXPECT_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(ordinary));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(ordinary, 0, bytes));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostRegister(ordinary, 0, cudaHostRegisterDefault));
    CALL(cudaHostRegister(ordinary, bytes, cudaHostRegisterDefault));
    EXPECT_ERROR(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(ordinary, bytes, cudaHostRegisterDefault));
    CALL(cudaHostUnregister(ordinary));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostRegister(pinned, bytes, cudaHostRegisterDefault));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CALL(cudaFreeHost(pinned));
    CALL(cudaFree(device));
}

void too_much_memory() {
    void* device = nullptr;
    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&device, std::size_t{1} << 50));
    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaGetLastError());
    std::size_t free_before = 0, free_after = 0, total = 0;
    CALL(cudaMemGetInfo(&free_before, &total));
    CALL(cudaMalloc(&device, 64 << 20));
    CALL(cudaMemGetInfo(&free_after, &total));
    EXPECT(free_before - free_after == 64 << 20);
    EXPECT(free_before <= total);
    CALL(cudaFree(device));
    CALL(cudaMalloc(&device, 0));
    EXPECT(device == nullptr);
}

void last_error() {
    CALL(cudaGetLastError());
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    CALL(cudaDeviceSynchronize());
    EXPECT_ERROR(cudaErrorInvalidValue, cudaPeekAtLastError());
    EXPECT_ERROR(cudaErrorInvalidValue, cudaPeekAtLastError());
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGetLastError());
    CALL(cudaGetLastError());
    CALL(cudaPeekAtLastError());
}

void impossible_launches() {
    const dim3 one(1);
    nothing<<<0, 1>>>();
    EXPECT(refused());
    nothing<<<1, 0>>>();
    EXPECT(refused());
    nothing<<<1, 1025>>>();
    EXPECT(refused());
    nothing<<<1, dim3(32, 32, 2)>>>();
    EXPECT(refused());
    nothing<<<1, dim3(1, 1, 65)>>>();
    EXPECT(refused());
    nothing<<<1, dim3(1u << 31, 1u << 31, 4)>>>();
    EXPECT(refused());
    nothing<<<dim3(1, 65536), one>>>();
    EXPECT(refused());
    nothing<<<dim3(1, 1, 65536), one>>>();
    EXPECT(refused());
    nothing<<<dim3(1u << 31), one>>>();
    EXPECT(refused());
    nothing<<<1, 1, 1 << 20>>>();
    EXPECT(refused());
    nothing<<<1, 1024, 48 * 1024>>>();
    EXPECT_ERROR(cudaSuccess, launched());
    nothing<<<dim3(2, 3, 4), dim3(4, 4, 64)>>>();
    EXPECT_ERROR(cudaSuccess, launched());
    CALL(cudaDeviceSynchronize());
}

void not_ready_is_no_last_error() {
    cudaStream_t stream = nullptr;
    unsigned* device = nullptr;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaMalloc(&device, 512 << 20));
    CALL(cudaMemsetAsync(device, 0, 512 << 20, stream));
    EXPECT_ERROR(cudaErrorNotReady, cudaStreamQuery(stream));
    EXPECT_ERROR(cudaSuccess, cudaGetLastError());
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaStreamDestroy(stream));
    CALL(cudaFree(device));
}

void unrecorded_event_has_no_elapsed_time() {
    cudaEvent_t first = nullptr, second = nullptr, untimed = nullptr;
    float milliseconds = 0;
    CALL(cudaEventCreate(&first));
    CALL(cudaEventCreate(&second));
    CALL(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CALL(cudaEventRecord(first, nullptr));
    CALL(cudaEventRecord(untimed, nullptr));
    CALL(cudaDeviceSynchronize());
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, first, second));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, first, untimed));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, first, first));
    CALL(cudaEventQuery(second));
    CALL(cudaEventSynchronize(second));
    CALL(cudaStreamWaitEvent(nullptr, second, 0));
    CALL(cudaEventDestroy(first));
    CALL(cudaEventDestroy(second));
    CALL(cudaEventDestroy(untimed));
}

void beyond_the_end() {
    unsigned* device = nullptr;
    unsigned* pinned = nullptr;
    CALL(cudaMalloc(&device, 4 << 20));
    CALL(cudaMallocHost(&pinned, 8 << 20));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(device, pinned, 8 << 20, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(device, 0, 8 << 20));
    CALL(cudaFreeHost(pinned));
    CALL(cudaFree(device));
}

void zero_sizes() {
    unsigned* device = nullptr;
    CALL(cudaMalloc(&device, bytes));
    CALL(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyAsync(device, nullptr, 0, cudaMemcpyHostToDevice, nullptr));
    CALL(cudaMemset(device, 0, 0));
    CALL(cudaMemsetAsync(nullptr, 0, 0, nullptr));
    void* none = &device;
    CALL(cudaMallocHost(&none, 0));
    EXPECT(none == nullptr);
    CALL(cudaFree(device));
}

void names() {
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorNotReady), "device not ready") == 0);
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorNoDevice), "cudaErrorNoDevice") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorNoDevice), "no CUDA-capable device is detected") == 0);
    EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidDeviceFunction), "cudaErrorInvalidDeviceFunction") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorInvalidDeviceFunction), "invalid device function") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(cudaErrorInsufficientDriver),
                       "CUDA driver version is insufficient for CUDA runtime version") == 0);
    EXPECT(std::strcmp(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code") == 0);
    EXPECT(std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code") == 0);
}

void no_peers() {
    int can = 9;
    unsigned *from = nullptr, *to = nullptr;
    unsigned found = 0;
    CALL(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_ERROR(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
    EXPECT_ERROR(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    CALL(cudaMalloc(&from, bytes));
    CALL(cudaMalloc(&to, bytes));
    CALL(cudaMemset(from, 1, bytes));
    CALL(cudaMemcpyPeer(to, 0, from, 0, bytes));
    CALL(cudaMemcpy(&found, to, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found == 0x01010101);
    CALL(cudaMemcpyPeerAsync(to, 0, from, 0, bytes, nullptr));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaMemcpyPeer(to, 1, from, 0, bytes));
    CALL(cudaFree(from));
    CALL(cudaFree(to));
}

void device_flags() {
    CALL(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    CALL(cudaSetDeviceFlags(cudaDeviceMapHost));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaSetDeviceFlags(3));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaSetDeviceFlags(0x100));
}

constexpr cases::Case all_cases[] = {
#define CASE(name) {#name, name}
    CASE(invalid_handles),
    CASE(null_pointers),
    CASE(invalid_flags_and_devices),
    CASE(no_direction),
    CASE(invalid_memory),
    CASE(too_much_memory),
    CASE(last_error),
    CASE(impossible_launches),
    CASE(not_ready_is_no_last_error),
    CASE(unrecorded_event_has_no_elapsed_time),
    CASE(beyond_the_end),
    CASE(zero_sizes),
    CASE(names),
    CASE(no_peers),
    CASE(device_flags),
};

}  // namespace

int main(int argc, char** argv) { return cases::run_one(all_cases, argc, argv); }
