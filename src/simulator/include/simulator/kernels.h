// Kernels by their address: what cudaLaunchKernel, cudaFuncGetAttributes and the occupancy calls take. The launch-syntax
// pass announces every kernel that is no template; a template's specialization is announced where it is named.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "simulator/api.h"
#include "simulator/launch.hpp"

namespace simulator {

// Makes the body of one launch from the addresses of its arguments.
using MakeKernelBody = std::unique_ptr<KernelBody> (*)(const void* kernel, void** arguments);

// `name` may be null: it is then found by the program's debug information.
void announce_kernel(const void* kernel, const char* name, MakeKernelBody make);

template <class... P, std::size_t... Index>
SIMULATOR_UNRECORDED std::unique_ptr<KernelBody> kernel_body(void (*kernel)(P...), [[maybe_unused]] void** arguments,
                                                             std::index_sequence<Index...> indices) {
    using Body = LaunchedKernel<void (*)(P...), decltype(indices), std::remove_cv_t<P>...>;
    return std::unique_ptr<KernelBody>(new Body(kernel, *static_cast<std::remove_cv_t<P>*>(arguments[Index])...));
}

template <class... P>
SIMULATOR_UNRECORDED const void* kernel_address(void (*kernel)(P...), const char* name = nullptr) {
    const auto* const address = reinterpret_cast<const void*>(kernel);
    announce_kernel(address, name, [](const void* function, void** arguments) SIMULATOR_UNRECORDED {
        const auto typed = reinterpret_cast<void (*)(P...)>(const_cast<void*>(function));
        return kernel_body(typed, arguments, std::index_sequence_for<P...>{});
    });
    return address;
}

// What the pass puts behind a kernel's definition. An overloaded name is not announced: it names no single kernel.
struct NamedKernel {
    const char* name;
    template <class... P>
    SIMULATOR_UNRECORDED bool operator()(void (*kernel)(P...)) const {
        return kernel_address(kernel, name) != nullptr;
    }
};
template <class Find>
SIMULATOR_UNRECORDED bool announce(const char* name, const Find& find) {
    if constexpr (std::is_invocable_v<const Find&, NamedKernel>) {
        return find(NamedKernel{name});
    } else {
        return false;
    }
}
#define SIMULATOR_ANNOUNCE_KERNEL(kernel)                                                 \
    ::simulator::announce(#kernel, [](auto simulator_find) -> decltype(simulator_find(kernel)) { \
        return simulator_find(kernel);                                                    \
    })

// cudaOccupancyMaxPotentialBlockSize and its variants; `shared_bytes_of` gives the dynamic shared
// memory of a block.
cudaError_t potential_block_size(const char* call, std::uintptr_t called_from, int* min_grid_size, int* block_size,
                                 const void* kernel, std::size_t (*shared_bytes_of)(const void* data, int block_size),
                                 const void* data, int block_size_limit);

// What the pass makes of the casts (void*)k<T> and reinterpret_cast<void*>(k<T>).
template <class To, class T>
To kernel_pointer(T* object) {
    return (To)object;  // as any cast of this form, whatever it takes away
}
template <class To, class... P>
To kernel_pointer(void (*kernel)(P...)) {
    return (To)kernel_address(kernel);
}

inline const void* address_of_kernel(const void* kernel) { return kernel; }
template <class... P>
const void* address_of_kernel(void (*kernel)(P...)) {
    return kernel_address(kernel);
}

}  // namespace simulator

// The forms with typed kernels that NVIDIA's header offers.
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                               size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
    return ::cudaLaunchKernel(simulator::kernel_address(kernel), grid, block, arguments, shared_bytes, stream);
}
SIMULATOR_FORWARD cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments) {
    return ::cudaLaunchKernel(kernel, grid, block, arguments, 0, nullptr);
}
SIMULATOR_FORWARD cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared_bytes) {
    return ::cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, nullptr);
}
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, void (*kernel)(P...),
                                                  void** arguments) {
    return ::cudaLaunchKernelExC(configuration, simulator::kernel_address(kernel), arguments);
}
template <class... P, class... Arguments>
SIMULATOR_FORWARD cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, void (*kernel)(P...),
                                                 Arguments&&... arguments) {
    static_assert(sizeof...(P) == sizeof...(Arguments), "the kernel has another number of parameters");
    return [&](std::remove_cv_t<P>... values) __attribute__((always_inline)) {
        void* addresses[] = {&values..., nullptr};
        return ::cudaLaunchKernelExC(configuration, simulator::kernel_address(kernel), addresses);
    }(std::forward<Arguments>(arguments)...);
}
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
    return ::cudaFuncGetAttributes(attributes, simulator::kernel_address(kernel));
}
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
    return ::cudaFuncSetAttribute(simulator::kernel_address(kernel), attribute, value);
}
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), cudaFuncCache preference) {
    return ::cudaFuncSetCacheConfig(simulator::kernel_address(kernel), preference);
}
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(P...),
                                                                            int block_size,
                                                                            size_t dynamic_shared_bytes) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, simulator::kernel_address(kernel), block_size,
                                                           dynamic_shared_bytes);
}
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void (*kernel)(P...),
                                                                                     int block_size,
                                                                                     size_t dynamic_shared_bytes,
                                                                                     unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, simulator::kernel_address(kernel),
                                                                    block_size, dynamic_shared_bytes, flags);
}
template <class... P>
SIMULATOR_FORWARD cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic_shared_bytes,
                                                                        void (*kernel)(P...), int blocks,
                                                                        int block_size) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamic_shared_bytes, simulator::kernel_address(kernel), blocks,
                                                       block_size);
}

// These have no form without a type in NVIDIA's header either. Not inlined, so that their return address is the call's.
#define SIMULATOR_POTENTIAL_BLOCK_SIZE(name, parameter, shared_bytes_expression, flags)                            \
    template <class T, class SharedBytes = size_t>                                                                 \
    [[gnu::noinline]] SIMULATOR_UNRECORDED cudaError_t name(int* min_grid_size, int* block_size, T kernel,         \
                                                            parameter, int block_size_limit = 0 flags) {           \
        return simulator::potential_block_size(                                                                    \
            #name, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), min_grid_size, block_size,       \
            simulator::address_of_kernel(kernel),                                                                  \
            [](const void* data, [[maybe_unused]] int threads) SIMULATOR_UNRECORDED -> std::size_t {               \
                [[maybe_unused]] const auto& shared_bytes = *static_cast<const SharedBytes*>(data);                \
                return shared_bytes_expression;                                                                    \
            },                                                                                                     \
            &shared_bytes, block_size_limit);                                                                      \
    }
#define SIMULATOR_WITH_FLAGS , unsigned int = cudaOccupancyDefault
SIMULATOR_POTENTIAL_BLOCK_SIZE(cudaOccupancyMaxPotentialBlockSize, SharedBytes shared_bytes = 0, shared_bytes, )
SIMULATOR_POTENTIAL_BLOCK_SIZE(cudaOccupancyMaxPotentialBlockSizeWithFlags, SharedBytes shared_bytes = 0, shared_bytes,
                               SIMULATOR_WITH_FLAGS)
SIMULATOR_POTENTIAL_BLOCK_SIZE(cudaOccupancyMaxPotentialBlockSizeVariableSMem, SharedBytes shared_bytes,
                               shared_bytes(threads), )
SIMULATOR_POTENTIAL_BLOCK_SIZE(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags, SharedBytes shared_bytes,
                               shared_bytes(threads), SIMULATOR_WITH_FLAGS)
