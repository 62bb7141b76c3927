#include "gpu/tracer.hpp"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/activity.hpp"
#include "gpu/cupti.hpp"

namespace gpu {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t buffer_alignment = 8;  // as CUPTI asks for

// What is recorded. Never destroyed: CUPTI may deliver records until the process ends.
struct Recording {
    Cupti cupti;
    std::string file;
    Activities activities;
    std::vector<std::size_t> open_ranges;
    std::mutex mutex;
};
Recording* recording = nullptr;

void expect(CUptiResult result, const char* call) {
    if (result != CUPTI_SUCCESS) {
        const char* text = "unknown";
        recording->cupti.result_string(result, &text);
        throw std::runtime_error(std::string("no GPU trace: expected ") + call + " to succeed, found " + text);
    }
}

std::string demangled(const char* name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
    return status == 0 ? text.get() : name;
}

device::HostMemory host_memory(std::uint8_t kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
            return device::HostMemory::pageable;
        case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
            return device::HostMemory::pinned;
        default:
            return device::HostMemory::none;
    }
}

void keep_copy(const CUpti_ActivityMemcpy5& copy) {
    DeviceActivity activity;
    switch (copy.copyKind) {
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
            activity.kind = device::OperationKind::host_to_device;
            activity.host_memory = host_memory(copy.srcKind);
            break;
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
            activity.kind = device::OperationKind::device_to_host;
            activity.host_memory = host_memory(copy.dstKind);
            break;
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
            activity.kind = device::OperationKind::host_to_host;
            break;
        default:
            activity.kind = device::OperationKind::device_to_device;
    }
    activity.correlation = copy.correlationId;
    activity.cupti_stream = copy.streamId;
    activity.start_ns = copy.start;
    activity.end_ns = copy.end;
    activity.bytes = copy.bytes;
    recording->activities.operations.push_back(std::move(activity));
}

void keep(const CUpti_Activity* record) {
    Activities& kept = recording->activities;
    switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            // Later versions of the record only append to this one.
            keep_copy(*reinterpret_cast<const CUpti_ActivityMemcpy5*>(record));
            break;
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            const auto& memset = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
            kept.operations.push_back({device::OperationKind::memset, "", memset.correlationId, memset.streamId,
                                       memset.start, memset.end, memset.bytes, device::HostMemory::none});
            break;
        }
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        case CUPTI_ACTIVITY_KIND_KERNEL: {
            const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel8*>(record);
            kept.operations.push_back({device::OperationKind::kernel, demangled(kernel.name), kernel.correlationId,
                                       kernel.streamId, kernel.start, kernel.end, 0, device::HostMemory::none});
            break;
        }
        case CUPTI_ACTIVITY_KIND_STREAM: {
            const auto& stream = *reinterpret_cast<const CUpti_ActivityStream*>(record);
            kept.created_streams.push_back({stream.streamId, stream.correlationId});
            break;
        }
        case CUPTI_ACTIVITY_KIND_RUNTIME: {
            const auto& call = *reinterpret_cast<const CUpti_ActivityAPI*>(record);
            const char* name = nullptr;
            recording->cupti.callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, call.cbid, &name);
            kept.calls.push_back({name != nullptr ? name : "?", call.correlationId, call.start, call.end});
            break;
        }
        default:
            break;
    }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
    *bytes = buffer_bytes;
    *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
    const std::lock_guard lock(recording->mutex);
    CUpti_Activity* record = nullptr;
    while (recording->cupti.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
        keep(record);
    }
    std::free(buffer);
}

unsigned copy_engines() {
    int engines = 0;
    cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0);
    return engines > 1 ? 2 : 1;  // more than two serve peers; host copies use one for each direction
}

// CUPTI's number of the legacy default stream: that of a memset put there. (With cuptiGetStreamIdEx, asked without a
// stream, the traces of an H200, driver 580.159.04, did not know it.) What is recorded on the way is thrown away.
std::uint32_t number_of_legacy_default_stream() {
    void* memory = nullptr;
    if (cudaMalloc(&memory, 1) != cudaSuccess || cudaMemset(memory, 0, 1) != cudaSuccess ||
        cudaFree(memory) != cudaSuccess) {
        throw std::runtime_error("no GPU trace: expected a memset in the legacy default stream to work");
    }
    cudaDeviceSynchronize();
    recording->cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard lock(recording->mutex);
    const auto operations = std::exchange(recording->activities.operations, {});
    recording->activities.calls.clear();
    recording->activities.created_streams.clear();
    if (operations.empty()) {
        throw std::runtime_error("no GPU trace: expected a record of a memset from CUPTI, found none");
    }
    return operations.back().cupti_stream;
}

void write_at_exit() {
    recording->activities.end_ns = trace_clock_ns();
    cudaDeviceSynchronize();
    recording->cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard lock(recording->mutex);
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    try {
        device::write_trace(recording->file, trace_of(recording->activities, properties.name, copy_engines()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
}

}  // namespace

void start_tracing(const std::string& file) {
    recording = new Recording;
    recording->cupti = load_cupti();
    recording->file = file;
    // Kernels are loaded now, so that loading one is not drawn as part of its first launch.
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    const Cupti& cupti = recording->cupti;
    expect(cupti.register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
          CUPTI_ACTIVITY_KIND_STREAM, CUPTI_ACTIVITY_KIND_RUNTIME}) {
        expect(cupti.enable(kind), "cuptiActivityEnable");
    }
    // Makes the context, so that the handler below runs before the runtime takes itself down.
    if (const cudaError_t error = cudaFree(nullptr); error != cudaSuccess) {
        throw std::runtime_error(std::string("no GPU trace: expected a usable GPU, found ") + cudaGetErrorString(error));
    }
    std::atexit(write_at_exit);
    recording->activities.default_stream = number_of_legacy_default_stream();
    cupti.timestamp(&recording->activities.origin_ns);
}

bool tracing() { return recording != nullptr; }

std::uint64_t trace_clock_ns() {
    std::uint64_t now = 0;
    recording->cupti.timestamp(&now);
    return now;
}

void begin_range(const char* name) {
    const std::chrono::nanoseconds now(trace_clock_ns());
    const std::lock_guard lock(recording->mutex);
    recording->open_ranges.push_back(recording->activities.ranges.size());
    recording->activities.ranges.push_back({name, now, now});
}

void end_range() {
    const std::chrono::nanoseconds now(trace_clock_ns());
    const std::lock_guard lock(recording->mutex);
    if (!recording->open_ranges.empty()) {
        recording->activities.ranges[recording->open_ranges.back()].end = now;
        recording->open_ranges.pop_back();
    }
}

}  // namespace gpu
