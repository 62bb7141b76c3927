// The calls of the CUDA runtime API that the simulated device offers; semantics as in NVIDIA's documentation.
#pragma once

#include "simulator/types.h"

extern "C" {

// Devices
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDriverGetVersion(int* version);

// Errors
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

// Memory
cudaError_t cudaMalloc(void** pointer, size_t bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags);
cudaError_t cudaMallocHost(void** pointer, size_t bytes);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemset(void* pointer, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream);

// Streams
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags);

// Events
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

}  // extern "C"

// The C++ forms with typed pointers and defaults that NVIDIA's header offers. Always inlined, so that the line of a call
// is the student's line.
#define SIMULATOR_FORWARD __attribute__((always_inline)) inline
template <class T>
SIMULATOR_FORWARD cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return ::cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
SIMULATOR_FORWARD cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned int flags) {
    return ::cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
SIMULATOR_FORWARD cudaError_t cudaMallocHost(T** pointer, size_t bytes) {
    return ::cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}
SIMULATOR_FORWARD cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return ::cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
SIMULATOR_FORWARD cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes) {
    return ::cudaMemsetAsync(pointer, value, bytes, nullptr);
}
SIMULATOR_FORWARD cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event) {
    return ::cudaStreamWaitEvent(stream, event, 0);
}
SIMULATOR_FORWARD cudaError_t cudaEventRecord(cudaEvent_t event) { return ::cudaEventRecord(event, nullptr); }
SIMULATOR_FORWARD cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}
SIMULATOR_FORWARD cudaError_t cudaHostRegister(void* pointer, size_t bytes) {
    return ::cudaHostRegister(pointer, bytes, cudaHostRegisterDefault);
}

// Calls that are not simulated: using one is a compile-time error that names it.
#define SIMULATOR_NOT_SIMULATED(function)                                                                     \
    template <class... Arguments>                                                                             \
    __attribute__((error(#function " is not simulated: build for a GPU (--device gpu), or use another call"))) \
    cudaError_t function(Arguments&&...);
SIMULATOR_NOT_SIMULATED(cudaMallocManaged)
SIMULATOR_NOT_SIMULATED(cudaMallocAsync)
SIMULATOR_NOT_SIMULATED(cudaFreeAsync)
SIMULATOR_NOT_SIMULATED(cudaMallocPitch)
SIMULATOR_NOT_SIMULATED(cudaMemcpy2D)
SIMULATOR_NOT_SIMULATED(cudaMemcpy2DAsync)
SIMULATOR_NOT_SIMULATED(cudaMemset2D)
SIMULATOR_NOT_SIMULATED(cudaMemset2DAsync)
SIMULATOR_NOT_SIMULATED(cudaMemcpyToSymbol)
SIMULATOR_NOT_SIMULATED(cudaMemcpyToSymbolAsync)
SIMULATOR_NOT_SIMULATED(cudaMemcpyFromSymbol)
SIMULATOR_NOT_SIMULATED(cudaMemcpyFromSymbolAsync)
SIMULATOR_NOT_SIMULATED(cudaGetSymbolAddress)
SIMULATOR_NOT_SIMULATED(cudaHostGetDevicePointer)
SIMULATOR_NOT_SIMULATED(cudaHostGetFlags)
SIMULATOR_NOT_SIMULATED(cudaPointerGetAttributes)
SIMULATOR_NOT_SIMULATED(cudaLaunchKernel)
SIMULATOR_NOT_SIMULATED(cudaLaunchKernelExC)
SIMULATOR_NOT_SIMULATED(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
SIMULATOR_NOT_SIMULATED(cudaOccupancyMaxPotentialBlockSize)
SIMULATOR_NOT_SIMULATED(cudaFuncGetAttributes)
SIMULATOR_NOT_SIMULATED(cudaFuncSetAttribute)
SIMULATOR_NOT_SIMULATED(cudaDeviceReset)
SIMULATOR_NOT_SIMULATED(cudaSetDeviceFlags)
SIMULATOR_NOT_SIMULATED(cudaDeviceCanAccessPeer)
SIMULATOR_NOT_SIMULATED(cudaDeviceEnablePeerAccess)
SIMULATOR_NOT_SIMULATED(cudaMemcpyPeer)
SIMULATOR_NOT_SIMULATED(cudaMemcpyPeerAsync)
SIMULATOR_NOT_SIMULATED(cudaStreamBeginCapture)
SIMULATOR_NOT_SIMULATED(cudaStreamEndCapture)
SIMULATOR_NOT_SIMULATED(cudaGraphCreate)
SIMULATOR_NOT_SIMULATED(cudaGraphInstantiate)
SIMULATOR_NOT_SIMULATED(cudaGraphLaunch)
SIMULATOR_NOT_SIMULATED(cudaGraphDestroy)
SIMULATOR_NOT_SIMULATED(cudaGraphExecDestroy)
