// The runtime API: __device__ and __constant__ variables.
#include "simulator/api_call.hpp"
#include "simulator/device_variables.h"
#include "simulator/device_variables.hpp"

using simulator::ApiCall;
using simulator::profile;

namespace {

struct SymbolCopy {
    const char* call;
    const void* symbol;
    std::size_t offset;
    void* to;  // null: the symbol
    const void* from;
    std::size_t bytes;
    cudaMemcpyKind kind;
    cudaStream_t stream;
    bool asynchronous;
};

const simulator::Allocation* variable_at(const void* symbol) {
    const auto address = reinterpret_cast<std::uintptr_t>(symbol);
    const simulator::Allocation* const found = simulator::find_device_variable(address);
    return found != nullptr && found->begin == address ? found : nullptr;
}

cudaError_t copy_symbol(SymbolCopy copy, std::uintptr_t called_from) {
    ApiCall call(copy.call, called_from, profile().host.copy_async);
    const bool to_symbol = copy.to == nullptr;
    const simulator::Allocation* const variable = variable_at(copy.symbol);
    if (variable == nullptr || (to_symbol && !simulator::is_writable_variable(variable->begin))) {
        return call.result(cudaErrorInvalidSymbol);
    }
    const cudaMemcpyKind usual = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (copy.kind != usual && copy.kind != cudaMemcpyDeviceToDevice && copy.kind != cudaMemcpyDefault) {
        return call.result(cudaErrorInvalidMemcpyDirection);
    }
    simulator::Stream* const in = call.device().stream(copy.stream);
    if (in == nullptr) {
        return call.result(cudaErrorInvalidResourceHandle);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    if (copy.offset >= variable->bytes && copy.bytes != 0) {
        return call.result(cudaErrorInvalidValue);
    }
    char* const place = reinterpret_cast<char*>(variable->begin) + copy.offset;
    if (to_symbol) {
        copy.to = place;
    } else {
        copy.from = place;
    }
    return call.result(call.device().copy({.to = simulator::Rows(copy.to, copy.bytes),
                                           .from = simulator::Rows(copy.from, copy.bytes),
                                           .kind = copy.kind,
                                           .stream = in,
                                           .asynchronous = copy.asynchronous,
                                           .call = copy.call,
                                           .called_from = called_from}));
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy_symbol({"cudaMemcpyToSymbol", symbol, offset, nullptr, from, bytes, kind, nullptr, false},
                       SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_symbol({"cudaMemcpyToSymbolAsync", symbol, offset, nullptr, from, bytes, kind, stream, true},
                       SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    return copy_symbol({"cudaMemcpyFromSymbol", symbol, offset, to, nullptr, bytes, kind, nullptr, false},
                       SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return copy_symbol({"cudaMemcpyFromSymbolAsync", symbol, offset, to, nullptr, bytes, kind, stream, true},
                       SIMULATOR_CALLED_FROM);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
    ApiCall call("cudaGetSymbolAddress", SIMULATOR_CALLED_FROM, profile().host.other);
    if (pointer == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (variable_at(symbol) == nullptr) {
        return call.result(cudaErrorInvalidSymbol);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *pointer = const_cast<void*>(symbol);
    return call.result(cudaSuccess);
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
    ApiCall call("cudaGetSymbolSize", SIMULATOR_CALLED_FROM, profile().host.other);
    const simulator::Allocation* const variable = variable_at(symbol);
    if (bytes == nullptr || variable == nullptr) {
        return call.result(bytes == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidSymbol);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *bytes = variable->bytes;
    return call.result(cudaSuccess);
}

}  // extern "C"
