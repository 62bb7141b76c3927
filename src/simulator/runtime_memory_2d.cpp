// The runtime API: memory in rows. What is an error was seen on an H200 (CUDA 13.0).
#include "simulator/api_call.hpp"
#include "simulator/runtime_memory.hpp"

using simulator::ApiCall;
using simulator::copy_call;
using simulator::profile;
using simulator::Rows;
using simulator::set_call;

namespace {

constexpr std::size_t pitch_alignment = 512;

cudaError_t refuse(const char* name, cudaError_t error, std::uintptr_t called_from) {
    ApiCall call(name, called_from, profile().host.other);
    return call.result(error);
}

cudaError_t copy_rows(const char* name, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous,
                      std::uintptr_t called_from) {
    if (width > to_pitch || width > from_pitch) {
        return refuse(name, cudaErrorInvalidPitchValue, called_from);
    }
    return copy_call(name, Rows(to, to_pitch, width, height), Rows(from, from_pitch, width, height), kind, stream,
                     asynchronous, called_from);
}

cudaError_t set_rows(const char* name, void* to, size_t pitch, int value, size_t width, size_t height,
                     cudaStream_t stream, bool asynchronous, std::uintptr_t called_from) {
    if (width > pitch) {
        return refuse(name, cudaErrorInvalidValue, called_from);
    }
    return set_call(name, Rows(to, pitch, width, height), value, stream, asynchronous, called_from);
}

}  // namespace

extern "C" {

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    ApiCall call("cudaMallocPitch", SIMULATOR_CALLED_FROM, simulator::Time{},
                 ApiCall::DuringCapture::refused);
    if (pointer == nullptr || pitch == nullptr) {
        return call.result(cudaErrorInvalidValue);
    }
    if (call.fails()) {
        return call.result(cudaErrorMemoryAllocation);
    }
    if (width == 0 || height == 0) {
        *pointer = nullptr;
        *pitch = 0;
        return cudaSuccess;
    }
    if (width > profile().memory_bytes || height > profile().memory_bytes / width) {
        return call.result(cudaErrorMemoryAllocation);  // before the product below can overflow
    }
    *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
    return call.result(
        call.device().allocate(simulator::MemoryKind::device, pointer, *pitch * height, SIMULATOR_CALLED_FROM));
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    return copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, nullptr, false,
                     SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_rows("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, stream, true,
                     SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
    return set_rows("cudaMemset2D", pointer, pitch, value, width, height, nullptr, false, SIMULATOR_CALLED_FROM);
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    return set_rows("cudaMemset2DAsync", pointer, pitch, value, width, height, stream, true, SIMULATOR_CALLED_FROM);
}

}  // extern "C"
