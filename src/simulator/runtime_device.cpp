// The runtime API: devices and errors.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "cuda_profiler_api.h"
#include "simulator/api_call.hpp"
#include "simulator/kernel_functions.hpp"

using simulator::ApiCall;
using simulator::profile;

namespace {

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
    ERROR_TEXT(cudaErrorAssert, "device-side assert triggered"),
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
// Never returned here; a program may name them all the same.
#define ERROR_NAME(error) ErrorText{error, #error, #error}
    ERROR_NAME(cudaErrorProfilerDisabled),
    ERROR_NAME(cudaErrorProfilerNotInitialized),
    ERROR_NAME(cudaErrorProfilerAlreadyStarted),
    ERROR_NAME(cudaErrorProfilerAlreadyStopped),
    ERROR_NAME(cudaErrorInvalidHostPointer),
    ERROR_NAME(cudaErrorInvalidDevicePointer),
    ERROR_NAME(cudaErrorInvalidTexture),
    ERROR_NAME(cudaErrorInvalidTextureBinding),
    ERROR_NAME(cudaErrorInvalidChannelDescriptor),
    ERROR_NAME(cudaErrorAddressOfConstant),
    ERROR_NAME(cudaErrorTextureFetchFailed),
    ERROR_NAME(cudaErrorTextureNotBound),
    ERROR_NAME(cudaErrorSynchronizationError),
    ERROR_NAME(cudaErrorInvalidFilterSetting),
    ERROR_NAME(cudaErrorInvalidNormSetting),
    ERROR_NAME(cudaErrorMixedDeviceExecution),
    ERROR_NAME(cudaErrorNotYetImplemented),
    ERROR_NAME(cudaErrorMemoryValueTooLarge),
    ERROR_NAME(cudaErrorStubLibrary),
    ERROR_NAME(cudaErrorCallRequiresNewerDriver),
    ERROR_NAME(cudaErrorInvalidSurface),
    ERROR_NAME(cudaErrorDuplicateVariableName),
    ERROR_NAME(cudaErrorDuplicateTextureName),
    ERROR_NAME(cudaErrorDuplicateSurfaceName),
    ERROR_NAME(cudaErrorDevicesUnavailable),
    ERROR_NAME(cudaErrorIncompatibleDriverContext),
    ERROR_NAME(cudaErrorMissingConfiguration),
    ERROR_NAME(cudaErrorPriorLaunchFailure),
    ERROR_NAME(cudaErrorLaunchMaxDepthExceeded),
    ERROR_NAME(cudaErrorLaunchFileScopedTex),
    ERROR_NAME(cudaErrorLaunchFileScopedSurf),
    ERROR_NAME(cudaErrorSyncDepthExceeded),
    ERROR_NAME(cudaErrorLaunchPendingCountExceeded),
    ERROR_NAME(cudaErrorDeviceNotLicensed),
    ERROR_NAME(cudaErrorSoftwareValidityNotEstablished),
    ERROR_NAME(cudaErrorStartupFailure),
    ERROR_NAME(cudaErrorInvalidKernelImage),
    ERROR_NAME(cudaErrorDeviceUninitialized),
    ERROR_NAME(cudaErrorMapBufferObjectFailed),
    ERROR_NAME(cudaErrorUnmapBufferObjectFailed),
    ERROR_NAME(cudaErrorArrayIsMapped),
    ERROR_NAME(cudaErrorAlreadyMapped),
    ERROR_NAME(cudaErrorNoKernelImageForDevice),
    ERROR_NAME(cudaErrorAlreadyAcquired),
    ERROR_NAME(cudaErrorNotMapped),
    ERROR_NAME(cudaErrorNotMappedAsArray),
    ERROR_NAME(cudaErrorNotMappedAsPointer),
    ERROR_NAME(cudaErrorECCUncorrectable),
    ERROR_NAME(cudaErrorUnsupportedLimit),
    ERROR_NAME(cudaErrorDeviceAlreadyInUse),
    ERROR_NAME(cudaErrorInvalidPtx),
    ERROR_NAME(cudaErrorInvalidGraphicsContext),
    ERROR_NAME(cudaErrorNvlinkUncorrectable),
    ERROR_NAME(cudaErrorJitCompilerNotFound),
    ERROR_NAME(cudaErrorUnsupportedPtxVersion),
    ERROR_NAME(cudaErrorJitCompilationDisabled),
    ERROR_NAME(cudaErrorUnsupportedExecAffinity),
    ERROR_NAME(cudaErrorUnsupportedDevSideSync),
    ERROR_NAME(cudaErrorContained),
    ERROR_NAME(cudaErrorInvalidSource),
    ERROR_NAME(cudaErrorFileNotFound),
    ERROR_NAME(cudaErrorSharedObjectSymbolNotFound),
    ERROR_NAME(cudaErrorSharedObjectInitFailed),
    ERROR_NAME(cudaErrorOperatingSystem),
    ERROR_NAME(cudaErrorLossyQuery),
    ERROR_NAME(cudaErrorSymbolNotFound),
    ERROR_NAME(cudaErrorLaunchIncompatibleTexturing),
    ERROR_NAME(cudaErrorSetOnActiveProcess),
    ERROR_NAME(cudaErrorContextIsDestroyed),
    ERROR_NAME(cudaErrorTooManyPeers),
    ERROR_NAME(cudaErrorHardwareStackError),
    ERROR_NAME(cudaErrorIllegalInstruction),
    ERROR_NAME(cudaErrorMisalignedAddress),
    ERROR_NAME(cudaErrorInvalidAddressSpace),
    ERROR_NAME(cudaErrorInvalidPc),
    ERROR_NAME(cudaErrorCooperativeLaunchTooLarge),
    ERROR_NAME(cudaErrorTensorMemoryLeak),
    ERROR_NAME(cudaErrorSystemNotReady),
    ERROR_NAME(cudaErrorSystemDriverMismatch),
    ERROR_NAME(cudaErrorCompatNotSupportedOnDevice),
    ERROR_NAME(cudaErrorMpsConnectionFailed),
    ERROR_NAME(cudaErrorMpsRpcFailure),
    ERROR_NAME(cudaErrorMpsServerNotReady),
    ERROR_NAME(cudaErrorMpsMaxClientsReached),
    ERROR_NAME(cudaErrorMpsMaxConnectionsReached),
    ERROR_NAME(cudaErrorMpsClientTerminated),
    ERROR_NAME(cudaErrorCdpNotSupported),
    ERROR_NAME(cudaErrorCdpVersionMismatch),
    ERROR_NAME(cudaErrorTimeout),
    ERROR_NAME(cudaErrorGraphExecUpdateFailure),
    ERROR_NAME(cudaErrorExternalDevice),
    ERROR_NAME(cudaErrorInvalidClusterSize),
    ERROR_NAME(cudaErrorFunctionNotLoaded),
    ERROR_NAME(cudaErrorInvalidResourceType),
    ERROR_NAME(cudaErrorInvalidResourceConfiguration),
    ERROR_NAME(cudaErrorApiFailureBase),
#undef ERROR_NAME
};

ErrorText text_of(cudaError_t error) {
    for (const ErrorText& text : error_texts) {
        if (text.error == error) {
            return text;
        }
    }
    return {error, "unrecognized error code", "unrecognized error code"};
}

constexpr int registers_per_block = 65536;
constexpr int largest_pitch = 2147483647;
constexpr int texture_alignment = 512;
constexpr int texture_pitch_alignment = 32;

// The frequency and the bus of the memory and the size of the L2 cache are not in a profile: they are not known.
int attribute_value(cudaDeviceAttr attribute, bool& known) {
    const simulator::MultiprocessorLimits limits = simulator::multiprocessor_limits(profile());
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
            return static_cast<int>(simulator::usual_shared_bytes_per_block);
        case cudaDevAttrTotalConstantMemory:
            return constant_bytes;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            return static_cast<int>(limits.shared_bytes_per_block);
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return static_cast<int>(limits.shared_bytes);
        case cudaDevAttrReservedSharedMemoryPerBlock:
            return static_cast<int>(limits.reserved_shared_bytes);
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            return static_cast<int>(limits.blocks);
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            return registers_per_block;
        case cudaDevAttrMaxPitch:
            return largest_pitch;
        case cudaDevAttrTextureAlignment:
            return texture_alignment;
        case cudaDevAttrTexturePitchAlignment:
            return texture_pitch_alignment;
        case cudaDevAttrClockRate:  // in kHz: what clock64() counts
            return static_cast<int>(simulator::cycles_per_second / 1e3);
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
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrGlobalL1CacheSupported:
        case cudaDevAttrLocalL1CacheSupported:
        case cudaDevAttrComputePreemptionSupported:
        case cudaDevAttrCanUseHostPointerForRegisteredMem:
        case cudaDevAttrHostRegisterReadOnlySupported:
        case cudaDevAttrMemoryPoolsSupported:
            return 1;
        case cudaDevAttrPciBusId:
        case cudaDevAttrPciDeviceId:
        case cudaDevAttrPciDomainId:
        case cudaDevAttrTccDriver:
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrIsMultiGpuBoard:
        case cudaDevAttrHostNativeAtomicSupported:
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrClusterLaunch:
        case cudaDevAttrMaxPersistingL2CacheSize:
        case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
        case cudaDevAttrDirectManagedMemAccessFromHost:
        case cudaDevAttrIntegrated:
        case cudaDevAttrPageableMemoryAccess:
        case cudaDevAttrConcurrentManagedAccess:
            return 0;
        default:
            known = false;
            return 0;
    }
}

cudaError_t version_call(const char* name, int* version, std::uintptr_t called_from) {
    ApiCall call(name, called_from, simulator::Time{});
    if (version == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *version = simulated_version;
    return call.result(cudaSuccess);
}

cudaError_t profiler_call(const char* name, std::uintptr_t called_from) {
    ApiCall call(name, called_from, profile().host.other);
    return call.result(call.fails() ? cudaErrorUnknown : cudaSuccess);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    ApiCall call("cudaGetDeviceCount", SIMULATOR_CALLED_FROM, profile().host.other);
    if (count == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *count = 1;
    return call.result(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
    ApiCall call("cudaGetDevice", SIMULATOR_CALLED_FROM, profile().host.other);
    if (device == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *device = 0;
    return call.result(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
    ApiCall call("cudaSetDevice", SIMULATOR_CALLED_FROM, profile().host.other);
    if (device != 0) {
        return call.result(cudaErrorInvalidDevice);
    }
    return call.result(call.fails() ? cudaErrorUnknown : cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    ApiCall call("cudaGetDeviceProperties", SIMULATOR_CALLED_FROM, profile().host.other);
    if (properties == nullptr || device != 0) {
        return call.result(properties == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *properties = cudaDeviceProp{};
    std::snprintf(properties->name, sizeof properties->name, "%s (simulated)", profile().device.c_str());
    properties->totalGlobalMem = profile().memory_bytes;
    properties->sharedMemPerBlock = simulator::usual_shared_bytes_per_block;
    const simulator::MultiprocessorLimits limits = simulator::multiprocessor_limits(profile());
    properties->regsPerBlock = registers_per_block;
    properties->warpSize = warpSize;
    properties->memPitch = largest_pitch;
    properties->maxThreadsPerBlock = 1024;
    const int block[3] = {1024, 1024, 64};
    const int grid[3] = {2147483647, 65535, 65535};
    std::memcpy(properties->maxThreadsDim, block, sizeof block);
    std::memcpy(properties->maxGridSize, grid, sizeof grid);
    properties->totalConstMem = constant_bytes;
    properties->major = profile().compute_capability_major;
    properties->minor = profile().compute_capability_minor;
    properties->textureAlignment = texture_alignment;
    properties->texturePitchAlignment = texture_pitch_alignment;
    properties->multiProcessorCount = static_cast<int>(profile().multiprocessors);
    properties->concurrentKernels = 1;
    properties->asyncEngineCount = static_cast<int>(profile().copy_engines);
    properties->unifiedAddressing = 1;
    properties->canMapHostMemory = 1;
    properties->managedMemory = 1;
    properties->maxThreadsPerMultiProcessor = static_cast<int>(profile().threads_per_multiprocessor);
    properties->streamPrioritiesSupported = 1;
    properties->globalL1CacheSupported = 1;
    properties->localL1CacheSupported = 1;
    properties->sharedMemPerMultiprocessor = limits.shared_bytes;
    properties->regsPerMultiprocessor = static_cast<int>(limits.registers);
    properties->computePreemptionSupported = 1;
    properties->canUseHostPointerForRegisteredMem = 1;
    properties->sharedMemPerBlockOptin = limits.shared_bytes_per_block;
    properties->maxBlocksPerMultiProcessor = static_cast<int>(limits.blocks);
    properties->reservedSharedMemPerBlock = limits.reserved_shared_bytes;
    properties->hostRegisterSupported = 1;
    properties->hostRegisterReadOnlySupported = 1;
    properties->memoryPoolsSupported = 1;
    return call.result(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    ApiCall call("cudaDeviceGetAttribute", SIMULATOR_CALLED_FROM, profile().host.other);
    if (value == nullptr || device != 0) {
        return call.result(value == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    bool known = false;
    const int found = attribute_value(attribute, known);
    if (!known) {
        return call.result(call.device().not_simulated(fmt::format("device attribute {}", static_cast<int>(attribute)),
                                                       SIMULATOR_CALLED_FROM));
    }
    *value = found;
    return call.result(cudaSuccess);
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
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    if (least != nullptr) {
        *least = simulator::least_priority;
    }
    if (greatest != nullptr) {
        *greatest = simulator::greatest_priority;
    }
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    return version_call("cudaRuntimeGetVersion", version, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaDriverGetVersion(int* version) {
    return version_call("cudaDriverGetVersion", version, SIMULATOR_CALLED_FROM);
}

// Earlier work completes, and then everything that the program has on the device is gone.
cudaError_t cudaDeviceReset(void) {
    ApiCall call("cudaDeviceReset", SIMULATOR_CALLED_FROM, profile().host.device_free, ApiCall::DuringCapture::refused);
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    call.device().reset(SIMULATOR_CALLED_FROM);
    return call.result(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
    ApiCall call("cudaInitDevice", SIMULATOR_CALLED_FROM, profile().host.other);
    if (device != 0) {
        return call.result(cudaErrorInvalidDevice);
    }
    return call.result(call.fails() ? cudaErrorUnknown : cudaSuccess);
}

// A hint that changes no result.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference) {
    ApiCall call("cudaDeviceSetCacheConfig", SIMULATOR_CALLED_FROM, profile().host.other);
    if (preference < cudaFuncCachePreferNone || preference > cudaFuncCachePreferEqual) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    call.device().cache_preference = preference;
    return call.result(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
    ApiCall call("cudaDeviceGetCacheConfig", SIMULATOR_CALLED_FROM, profile().host.other);
    if (preference == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *preference = call.device().cache_preference;
    return call.result(cudaSuccess);
}

// Only profilers are started and stopped; `course timeline` shows the whole program.
cudaError_t cudaProfilerStart(void) {
    return profiler_call("cudaProfilerStart", SIMULATOR_CALLED_FROM);
}

cudaError_t cudaProfilerStop(void) {
    return profiler_call("cudaProfilerStop", SIMULATOR_CALLED_FROM);
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
