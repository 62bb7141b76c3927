// The runtime API: flags of the device, and peers, of which one device has none. The answers were seen on an H200.
#include "simulator/api_call.hpp"
#include "simulator/runtime_memory.hpp"

using simulator::ApiCall;
using simulator::profile;
using simulator::Rows;

namespace {

constexpr unsigned known_flags = cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax;

bool valid(unsigned flags) {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    return (flags & ~known_flags) == 0 && (schedule & (schedule - 1)) == 0;
}

cudaError_t answer(const char* name, int device, cudaError_t error, std::uintptr_t called_from) {
    ApiCall call(name, called_from, profile().host.other);
    if (device != 0) {
        return call.result(cudaErrorInvalidDevice);
    }
    return call.result(call.fails() ? cudaErrorUnknown : error);
}

cudaError_t copy(const char* name, void* to, int to_device, const void* from, int from_device, size_t bytes,
                 cudaStream_t stream, std::uintptr_t called_from) {
    if (to_device != 0 || from_device != 0) {
        ApiCall call(name, called_from, profile().host.other);
        return call.result(cudaErrorInvalidDevice);
    }
    // Like a copy within the device, cudaMemcpyPeer does not make the host wait.
    return simulator::copy_call(name, Rows(to, bytes), Rows(from, bytes), cudaMemcpyDefault, stream, true, called_from);
}

}  // namespace

extern "C" {

// How the host waits is not modelled: the flags are kept, and change nothing.
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    ApiCall call("cudaSetDeviceFlags", SIMULATOR_CALLED_FROM, profile().host.other);
    if (!valid(flags)) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    call.device().flags = flags;
    return call.result(cudaSuccess);
}

// Pinned memory can always be mapped, whatever was set.
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
    ApiCall call("cudaGetDeviceFlags", SIMULATOR_CALLED_FROM, profile().host.other);
    if (flags == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *flags = call.device().flags | cudaDeviceMapHost;
    return call.result(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
    ApiCall call("cudaDeviceCanAccessPeer", SIMULATOR_CALLED_FROM, profile().host.other);
    if (can_access == nullptr || device != 0 || peer != 0) {
        return call.result(can_access == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    }
    if (call.fails()) {
        return call.result(cudaErrorUnknown);
    }
    *can_access = 0;
    return call.result(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
    return answer("cudaDeviceEnablePeerAccess", peer, cudaErrorPeerAccessUnsupported, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return answer("cudaDeviceDisablePeerAccess", peer, cudaErrorPeerAccessNotEnabled, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
    return copy("cudaMemcpyPeer", to, to_device, from, from_device, bytes, nullptr, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    return copy("cudaMemcpyPeerAsync", to, to_device, from, from_device, bytes, stream, SIMULATOR_CALLED_FROM);
}

}  // extern "C"
