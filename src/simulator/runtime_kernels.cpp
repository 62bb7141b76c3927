// The runtime API: launches, and what is asked about or set for a kernel.
#include <algorithm>

#include "simulator/api_call.hpp"
#include "simulator/kernel_functions.hpp"

using simulator::ApiCall;
using simulator::KernelFunction;
using simulator::multiprocessor_limits;
using simulator::profile;
using simulator::resident_blocks;

namespace {

// The call with its kernel resolved: runs `action(kernel)` unless there is no such kernel or the call is to fail.
template <class Action>
cudaError_t with_kernel(const char* name, const void* function, std::uintptr_t called_from, Action action) {
    ApiCall call(name, called_from, profile().host.other);
    KernelFunction* const kernel = simulator::find_kernel(function);
    if (kernel == nullptr) {
        return call.result(cudaErrorInvalidDeviceFunction);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    return call.result(action(call.device(), *kernel));
}

const char* name_of(cudaLaunchAttributeID attribute) {
    switch (attribute) {
#define NAME(name) \
    case name:     \
        return #name
        NAME(cudaLaunchAttributeIgnore);
        NAME(cudaLaunchAttributeAccessPolicyWindow);
        NAME(cudaLaunchAttributeCooperative);
        NAME(cudaLaunchAttributeSynchronizationPolicy);
        NAME(cudaLaunchAttributeClusterDimension);
        NAME(cudaLaunchAttributeClusterSchedulingPolicyPreference);
        NAME(cudaLaunchAttributeProgrammaticStreamSerialization);
        NAME(cudaLaunchAttributeProgrammaticEvent);
        NAME(cudaLaunchAttributePriority);
        NAME(cudaLaunchAttributeMemSyncDomainMap);
        NAME(cudaLaunchAttributeMemSyncDomain);
        NAME(cudaLaunchAttributePreferredClusterDimension);
        NAME(cudaLaunchAttributeLaunchCompletionEvent);
        NAME(cudaLaunchAttributeDeviceUpdatableKernelNode);
        NAME(cudaLaunchAttributePreferredSharedMemoryCarveout);
#undef NAME
    }
    return "this launch attribute";
}

// A share of shared memory is a hint that changes no result; everything else would.
bool is_hint(cudaLaunchAttributeID attribute) {
    return attribute == cudaLaunchAttributeIgnore || attribute == cudaLaunchAttributePreferredSharedMemoryCarveout;
}

cudaError_t launch_by_address(const char* name, const void* function, const cudaLaunchConfig_t& configuration,
                              void** arguments, std::uintptr_t called_from) {
    ApiCall call(name, called_from, profile().host.launch);
    KernelFunction* const kernel = simulator::find_kernel(function);
    simulator::Stream* const in = call.device().stream(configuration.stream);
    if (kernel == nullptr || in == nullptr) {
        return call.result(kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle);
    }
    if (call.fails()) {
        return call.result(cudaErrorLaunchFailure);
    }
    for (unsigned i = 0; i < configuration.numAttrs; ++i) {
        if (!is_hint(configuration.attrs[i].id)) {
            return call.result(call.device().not_simulated(name_of(configuration.attrs[i].id), called_from));
        }
    }
    return call.result(call.device().launch({kernel->name, configuration.gridDim, configuration.blockDim,
                                             configuration.dynamicSmemBytes, in, kernel->make(function, arguments),
                                             called_from, function}));
}

cudaError_t occupancy(const char* name, int* blocks, const void* function, int block_size, std::size_t dynamic_bytes,
                      unsigned flags, std::uintptr_t called_from) {
    return with_kernel(name, function, called_from, [=](auto& device, const KernelFunction& kernel) {
        if (blocks == nullptr || block_size <= 0 || (flags & ~unsigned{cudaOccupancyDisableCachingOverride}) != 0) {
            return cudaErrorInvalidValue;
        }
        *blocks = static_cast<int>(
            resident_blocks(multiprocessor_limits(device.profile()),
                            {static_cast<unsigned>(block_size), kernel.static_shared_bytes, dynamic_bytes}));
        return cudaSuccess;
    });
}

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
    return launch_by_address("cudaLaunchKernel", kernel, {grid, block, shared_bytes, stream, nullptr, 0}, arguments,
                             SIMULATOR_CALLED_FROM);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel, void** arguments) {
    if (configuration == nullptr || (configuration->numAttrs > 0 && configuration->attrs == nullptr)) {
        ApiCall call("cudaLaunchKernelExC", SIMULATOR_CALLED_FROM, profile().host.other);
        return call.result(cudaErrorInvalidValue);
    }
    return launch_by_address("cudaLaunchKernelExC", kernel, *configuration, arguments, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
    return with_kernel("cudaFuncGetAttributes", kernel, SIMULATOR_CALLED_FROM,
                       [attributes](auto& device, const KernelFunction& found) {
                           if (attributes == nullptr) {
                               return cudaErrorInvalidValue;
                           }
                           const device::Profile& of = device.profile();
                           *attributes = cudaFuncAttributes{};
                           attributes->sharedSizeBytes = found.static_shared_bytes;
                           attributes->maxThreadsPerBlock = simulator::most_threads_per_block;
                           attributes->numRegs = simulator::assumed_registers_per_thread;
                           attributes->ptxVersion = 10 * of.compute_capability_major + of.compute_capability_minor;
                           attributes->binaryVersion = attributes->ptxVersion;
                           attributes->maxDynamicSharedSizeBytes = static_cast<int>(found.dynamic_shared_limit_bytes);
                           attributes->preferredShmemCarveout = found.shared_carveout;
                           return cudaSuccess;
                       });
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    const std::uintptr_t called_from = SIMULATOR_CALLED_FROM;
    return with_kernel(
        "cudaFuncSetAttribute", kernel, called_from, [=](auto& device, KernelFunction& found) -> cudaError_t {
            if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
                const std::size_t most = multiprocessor_limits(device.profile()).shared_bytes_per_block;
                if (value < 0 || static_cast<std::size_t>(value) + found.static_shared_bytes > most) {
                    return cudaErrorInvalidValue;
                }
                found.dynamic_shared_limit_bytes = static_cast<std::size_t>(value);
                return cudaSuccess;
            }
            if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
                if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared) {
                    return cudaErrorInvalidValue;
                }
                found.shared_carveout = value;
                return cudaSuccess;
            }
            if (attribute < cudaFuncAttributeMaxDynamicSharedMemorySize ||
                attribute > cudaFuncAttributeClusterSchedulingPolicyPreference) {
                return cudaErrorInvalidValue;
            }
            return device.not_simulated("an attribute of clusters", called_from);
        });
}

// A hint that changes no result.
cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache preference) {
    return with_kernel("cudaFuncSetCacheConfig", kernel, SIMULATOR_CALLED_FROM, [preference](auto&, KernelFunction&) {
        return preference < cudaFuncCachePreferNone || preference > cudaFuncCachePreferEqual ? cudaErrorInvalidValue
                                                                                              : cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size,
                                                          size_t dynamic_shared_bytes) {
    return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessor", blocks, kernel, block_size, dynamic_shared_bytes,
                     cudaOccupancyDefault, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int block_size,
                                                                   size_t dynamic_shared_bytes, unsigned int flags) {
    return occupancy("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", blocks, kernel, block_size,
                     dynamic_shared_bytes, flags, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic_shared_bytes, const void* kernel, int blocks,
                                                      int block_size) {
    return with_kernel("cudaOccupancyAvailableDynamicSMemPerBlock", kernel, SIMULATOR_CALLED_FROM,
                       [=](auto& device, const KernelFunction& found) {
                           if (dynamic_shared_bytes == nullptr || blocks <= 0 || block_size <= 0) {
                               return cudaErrorInvalidValue;
                           }
                           const auto limits = multiprocessor_limits(device.profile());
                           const unsigned most = resident_blocks(limits, {static_cast<unsigned>(block_size), 0, 0});
                           if (static_cast<unsigned>(blocks) > most) {
                               return cudaErrorInvalidValue;
                           }
                           const std::size_t taken = limits.reserved_shared_bytes + found.static_shared_bytes;
                           const std::size_t share = limits.shared_bytes / static_cast<unsigned>(blocks);
                           *dynamic_shared_bytes =
                               std::min(share - std::min(share, taken),
                                        limits.shared_bytes_per_block - found.static_shared_bytes);
                           return cudaSuccess;
                       });
}

}  // extern "C"

namespace simulator {

void launch_kernel(const char* name, const void* function, dim3 grid, dim3 block, std::size_t shared_bytes,
                   cudaStream_t stream, std::unique_ptr<KernelBody> body, std::uintptr_t call_address) {
    ApiCall call("cudaLaunchKernel", call_address, profile().host.launch);
    Stream* const in = call.device().stream(stream);
    const std::string plain_name = plain_kernel_name(name);
    cudaError_t error = cudaErrorInvalidResourceHandle;
    if (in != nullptr) {
        error = call.fails() ? cudaErrorLaunchFailure
                             : call.device().launch({plain_name, grid, block, shared_bytes, in, std::move(body),
                                                     call_address, function});
    }
    call.device().record_launch_error(plain_name, call.result(error), call_address);
}

// The block size at which a multiprocessor holds most threads; the largest of those that are equal.
cudaError_t potential_block_size(const char* name, std::uintptr_t called_from, int* min_grid_size, int* block_size,
                                 const void* kernel, std::size_t (*shared_bytes_of)(const void* data, int block_size),
                                 const void* data, int block_size_limit) {
    return with_kernel(name, kernel, called_from, [=](auto& device, const KernelFunction& found) {
        if (min_grid_size == nullptr || block_size == nullptr || block_size_limit < 0) {
            return cudaErrorInvalidValue;
        }
        const MultiprocessorLimits limits = multiprocessor_limits(device.profile());
        constexpr int most = most_threads_per_block;
        const int limit = block_size_limit == 0 ? most : std::min(block_size_limit, most);
        unsigned most_threads = 0;
        for (int aligned = (limit + 31) / 32 * 32; aligned > 0; aligned -= 32) {
            const int size = std::min(aligned, limit);
            const unsigned blocks = resident_blocks(
                limits, {static_cast<unsigned>(size), found.static_shared_bytes, shared_bytes_of(data, size)});
            if (blocks * static_cast<unsigned>(size) > most_threads) {
                most_threads = blocks * static_cast<unsigned>(size);
                *block_size = size;
                *min_grid_size = static_cast<int>(blocks * device.profile().multiprocessors);
            }
        }
        return cudaSuccess;
    });
}

}  // namespace simulator
