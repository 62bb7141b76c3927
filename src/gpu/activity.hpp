// From CUPTI's activity records to a device::Trace. Pure: no GPU is needed to test it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/trace.hpp"

namespace gpu {

// One copy, memset or kernel as CUPTI reports it. Times are CUPTI timestamps in nanoseconds.
struct DeviceActivity {
    device::OperationKind kind = device::OperationKind::kernel;
    std::string name;  // kernels: the demangled name with parameters
    std::uint32_t correlation = 0;  // the same number as that of the call that issued it
    std::uint32_t cupti_stream = 0;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    std::uint64_t bytes = 0;
    device::HostMemory host_memory = device::HostMemory::none;
};

// One call of the runtime API.
struct CallActivity {
    std::string name;  // "cudaMemcpyAsync_v3020"
    std::uint32_t correlation = 0;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
};

struct StreamActivity {
    std::uint32_t cupti_stream = 0;
    std::uint32_t correlation = 0;
};

struct Activities {
    std::uint64_t origin_ns = 0;  // the timestamp that becomes 0; earlier calls are the tracer's own
    std::uint64_t end_ns = ~std::uint64_t{0};  // later calls are the tracer's own
    std::uint32_t default_stream = 0;  // CUPTI's number of the legacy default stream
    std::vector<StreamActivity> created_streams;  // in order of creation
    std::vector<DeviceActivity> operations;
    std::vector<CallActivity> calls;
    std::vector<device::Range> ranges;  // with CUPTI timestamps
};

// "void scale<float>(float*, int)" -> "scale<float>"; unnamed namespaces are left out
std::string kernel_name(const std::string& demangled);

// "cudaMemcpyAsync_v3020" -> "cudaMemcpyAsync"
std::string call_name(const std::string& with_version);

// Operations in order of issue, streams numbered as on the simulated device. `device` names the GPU.
device::Trace trace_of(const Activities& activities, const std::string& device, unsigned copy_engines);

}  // namespace gpu
