// __device__ and __constant__ variables. The launch-syntax pass announces those at namespace scope; host code reaches
// them through the calls below.
#pragma once

#include <stddef.h>

#include <type_traits>

#include "simulator/types.h"

extern "C" {

void simulator_announce_variable(const volatile void* address, size_t bytes, int writable);

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr);
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol);
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol);

}  // extern "C"

namespace simulator {

struct DeviceVariable {
    template <class T>
    explicit DeviceVariable(T& variable) {
        simulator_announce_variable(&variable, sizeof variable, !std::is_const_v<T>);
    }
};

}  // namespace simulator

// As NVIDIA's header has them: the symbol itself, not its address. Always inlined, so that the line of a call is the
// student's line.
#define SIMULATOR_SYMBOL_CALL template <class T> __attribute__((always_inline)) inline cudaError_t
SIMULATOR_SYMBOL_CALL cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                         cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol(static_cast<const void*>(&symbol), from, bytes, offset, kind);
}
SIMULATOR_SYMBOL_CALL cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                              cudaStream_t stream = nullptr) {
    return ::cudaMemcpyToSymbolAsync(static_cast<const void*>(&symbol), from, bytes, offset, kind, stream);
}
SIMULATOR_SYMBOL_CALL cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(to, static_cast<const void*>(&symbol), bytes, offset, kind);
}
SIMULATOR_SYMBOL_CALL cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                cudaStream_t stream = nullptr) {
    return ::cudaMemcpyFromSymbolAsync(to, static_cast<const void*>(&symbol), bytes, offset, kind, stream);
}
template <class P, class T>
__attribute__((always_inline)) inline cudaError_t cudaGetSymbolAddress(P** pointer, const T& symbol) {
    return ::cudaGetSymbolAddress(reinterpret_cast<void**>(pointer), static_cast<const void*>(&symbol));
}
SIMULATOR_SYMBOL_CALL cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    return ::cudaGetSymbolSize(bytes, static_cast<const void*>(&symbol));
}
