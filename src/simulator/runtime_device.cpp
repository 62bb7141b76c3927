// The runtime API: devices, errors, and launches.
#include <array>
#include <cstdio>
#include <cstring>

#include "simulator/api_call.hpp"

using simulator::ApiCall;
using simulator::profile;

namespace {

constexpr int shared_bytes_per_block = 48 * 1024;
constexpr int constant_bytes = 64 * 1024;
constexpr int simulated_version = 13000;

struct ErrorText {
    cudaError_t error;
    const char* name;
    const char* description;
};

constexpr std::array error_texts{
#define ERROR_TEXT(error, description) ErrorText{error, #error, description}
    ERROR_TEXT(cudaSuccess, "no error"),
    ERROR_TEXT(cudaErrorInvalidValue, "invalid argument"),
    ERROR_TEXT(cudaErrorMemoryAllocation, "out of memory"),
    ERROR_TEXT(cudaErrorInitializationError, "initialization error"),
    ERROR_TEXT(cudaErrorCudartUnloading, "driver shutting down"),
    ERROR_TEXT(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR_TEXT(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR_TEXT(cudaErrorInvalidSymbol, "invalid device symbol"),
    ERROR_TEXT(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR_TEXT(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    ERROR_TEXT(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ERROR_TEXT(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ERROR_TEXT(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR_TEXT(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR_TEXT(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR_TEXT(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ERROR_TEXT(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR_TEXT(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR_TEXT(cudaErrorNotReady, "device not ready"),
    ERROR_TEXT(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR_TEXT(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR_TEXT(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ERROR_TEXT(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    ERROR_TEXT(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    ERROR_TEXT(cudaErrorLaunchFailure, "unspecified launch failure"),
    ERROR_TEXT(cudaErrorNotPermitted, "operation not permitted"),
    ERROR_TEXT(cudaErrorNotSupported, "operation not supported"),
    ERROR_TEXT(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR_TEXT(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ERROR_TEXT(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    ERROR_TEXT(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ERROR_TEXT(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR_TEXT(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ERROR_TEXT(cudaErrorStreamCaptureImplicit,
               "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR_TEXT(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    ERROR_TEXT(cudaErrorStreamCaptureWrongThread,
               "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR_TEXT(cudaErrorUnknown, "unknown error"),
#undef ERROR_TEXT
};

ErrorText text_of(cudaError_t error) {
    for (const ErrorText& text : error_texts) {
        if (text.error == error) {
            return text;
        }
    }
    return {error, "unrecognized error code", "unrecognized error code"};
}

int attribute_value(cudaDeviceAttr attribute, bool& known) {
    known = true;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
            return 1024;
        case cudaDevAttrMaxBlockDimZ:
            return 64;
        case cudaDevAttrMaxGridDimX:
            return 2147483647;
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ:
            return 65535;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            return shared_bytes_per_block;
        case cudaDevAttrTotalConstantMemory:
            return constant_bytes;
        case cudaDevAttrWarpSize:
            return warpSize;
        case cudaDevAttrMultiProcessorCount:
            return static_cast<int>(profile().multiprocessors);
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            return static_cast<int>(profile().threads_per_multiprocessor);
        case cudaDevAttrAsyncEngineCount:
            return static_cast<int>(profile().copy_engines);
        case cudaDevAttrComputeCapabilityMajor:
            return profile().compute_capability_major;
        case cudaDevAttrComputeCapabilityMinor:
            return profile().compute_capability_minor;
        case cudaDevAttrGpuOverlap:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrHostRegisterSupported:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrManagedMemory:
            return 1;
        case cudaDevAttrIntegrated:
        case cudaDevAttrPageableMemoryAccess:
        case cudaDevAttrConcurrentManagedAccess:
            return 0;
        default:
            known = false;
            return 0;
    }
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    ApiCall call("cudaGetDeviceCount", SIMULATOR_CALLED_FROM, profile().host.other);
    if (count == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    ApiCall call("cudaGetDevice", SIMULATOR_CALLED_FROM, profile().host.other);
    if (device == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    ApiCall call("cudaSetDevice", SIMULATOR_CALLED_FROM, profile().host.other);
    return call.result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    ApiCall call("cudaGetDeviceProperties", SIMULATOR_CALLED_FROM, profile().host.other);
    if (properties == nullptr || device != 0) {
        return call.result(properties == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    }
    *properties = cudaDeviceProp{};
    std::snprintf(properties->name, sizeof properties->name, "%s (simulated)", profile().device.c_str());
    properties->totalGlobalMem = profile().memory_bytes;
    properties->sharedMemPerBlock = shared_bytes_per_block;
    properties->regsPerBlock = 65536;
    properties->warpSize = warpSize;
    properties->memPitch = 2147483647;
    properties->maxThreadsPerBlock = 1024;
    const int block[3] = {1024, 1024, 64};
    const int grid[3] = {2147483647, 65535, 65535};
    std::memcpy(properties->maxThreadsDim, block, sizeof block);
    std::memcpy(properties->maxGridSize, grid, sizeof grid);
    properties->totalConstMem = constant_bytes;
    properties->major = profile().compute_capability_major;
    properties->minor = profile().compute_capability_minor;
    properties->multiProcessorCount = static_cast<int>(profile().multiprocessors);
    properties->concurrentKernels = 1;
    properties->asyncEngineCount = static_cast<int>(profile().copy_engines);
    properties->unifiedAddressing = 1;
    properties->canMapHostMemory = 1;
    properties->managedMemory = 1;
    properties->maxThreadsPerMultiProcessor = static_cast<int>(profile().threads_per_multiprocessor);
    properties->hostRegisterSupported = 1;
    properties->maxBlocksPerMultiProcessor = 32;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    ApiCall call("cudaDeviceGetAttribute", SIMULATOR_CALLED_FROM, profile().host.other);
    if (value == nullptr || device != 0) {
        return call.result(value == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    }
    bool known = false;
    *value = attribute_value(attribute, known);
    return call.result(known ? cudaSuccess : cudaErrorNotSupported);
}

cudaError_t cudaDeviceSynchronize(void) {
    ApiCall call("cudaDeviceSynchronize", SIMULATOR_CALLED_FROM, profile().host.query,
                 ApiCall::DuringCapture::refused);
    if (call.fails()) {
        return call.result(cudaErrorLaunchFailure);
    }
    call.device().synchronize_all();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    ApiCall call("cudaDeviceGetStreamPriorityRange", SIMULATOR_CALLED_FROM, profile().host.other);
    if (least != nullptr) {
        *least = simulator::least_priority;
    }
    if (greatest != nullptr) {
        *greatest = simulator::greatest_priority;
    }
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    if (version == nullptr) {
        return cudaErrorInvalidValue;
    }
    *version = simulated_version;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    return cudaRuntimeGetVersion(version);
}

cudaError_t cudaGetLastError(void) {
    ApiCall call("cudaGetLastError", SIMULATOR_CALLED_FROM, simulator::Time{});
    return call.device().take_last_error();
}

cudaError_t cudaPeekAtLastError(void) {
    ApiCall call("cudaPeekAtLastError", SIMULATOR_CALLED_FROM, simulator::Time{});
    return call.device().last_error();
}

const char* cudaGetErrorName(cudaError_t error) {
    return text_of(error).name;
}

const char* cudaGetErrorString(cudaError_t error) {
    return text_of(error).description;
}

}  // extern "C"

namespace simulator {

void launch_kernel(const char* name, dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
                   std::unique_ptr<KernelBody> body, std::uintptr_t call_address) {
    ApiCall call("cudaLaunchKernel", call_address, profile().host.launch);
    Stream* const in = call.device().stream(stream);
    cudaError_t error = cudaErrorInvalidResourceHandle;
    if (in != nullptr) {
        error = call.fails()
                    ? cudaErrorLaunchFailure
                    : call.device().launch({name, grid, block, shared_bytes, in, std::move(body), call_address});
    }
    call.device().record_launch_error(name, call.result(error), call_address);
}

}  // namespace simulator
