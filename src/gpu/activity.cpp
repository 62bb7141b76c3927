#include "gpu/activity.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace gpu {
namespace {

using std::chrono::nanoseconds;

nanoseconds since(std::uint64_t origin_ns, std::uint64_t time_ns) {
    return nanoseconds(static_cast<std::int64_t>(time_ns) - static_cast<std::int64_t>(origin_ns));
}

// Streams that the program did not create by a call of its own come last, in order of their number: the runtime makes
// some for itself.
std::map<std::uint32_t, std::uint32_t> stream_numbers(const Activities& activities) {
    std::set<std::uint32_t> creating_calls;
    for (const CallActivity& call : activities.calls) {
        if (call_name(call.name).starts_with("cudaStreamCreate")) {
            creating_calls.insert(call.correlation);
        }
    }
    std::map<std::uint32_t, std::uint32_t> numbers{{activities.default_stream, 0}};
    std::uint32_t next = 1;
    for (const StreamActivity& stream : activities.created_streams) {
        if (creating_calls.contains(stream.correlation)) {
            next += numbers.emplace(stream.cupti_stream, next).second ? 1 : 0;
        }
    }
    std::map<std::uint32_t, bool> seen;
    for (const DeviceActivity& operation : activities.operations) {
        seen[operation.cupti_stream] = true;
    }
    for (const auto& [stream, used] : seen) {
        next += numbers.emplace(stream, next).second ? 1 : 0;
    }
    return numbers;
}

bool ends_in_async(const std::string& name) { return name.ends_with("Async"); }

// "name_v3020" -> "name"; other names stay as they are
std::string without_version(const std::string& name) {
    const std::size_t version = name.rfind("_v");
    const bool digits = version != std::string::npos && version + 2 < name.size() &&
                        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(version) + 2, name.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
    return digits ? name.substr(0, version) : name;
}

}  // namespace

std::string kernel_name(const std::string& demangled) {
    // "void ns::scale<float>(float*)": what is left of the first bracket ends with the name. An unnamed namespace comes
    // in brackets itself, and goes first.
    std::string name = demangled;
    const std::string unnamed = "(anonymous namespace)::";
    for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed, at)) {
        name.erase(at, unnamed.size());
    }
    name.resize(std::min(name.find_first_of("<("), name.size()));
    const std::size_t qualifier = name.find_last_of(": ");
    return qualifier == std::string::npos ? name : name.substr(qualifier + 1);
}

std::string call_name(const std::string& with_version) {
    // Twice: headers of CUDA 12 turn some names into "name_v2", to which CUPTI adds the version of the toolkit.
    std::string name = without_version(without_version(with_version));
    for (const char* const suffix : {"_ptsz", "_ptds"}) {
        if (name.ends_with(suffix)) {
            name.resize(name.size() - std::string(suffix).size());
        }
    }
    return name;
}

device::Trace trace_of(const Activities& activities, const std::string& device, unsigned copy_engines) {
    device::Trace trace;
    trace.device = device;
    trace.copy_engines = copy_engines;
    std::map<std::uint32_t, const CallActivity*> call_by_correlation;
    for (const CallActivity& call : activities.calls) {
        if (call.start_ns < activities.origin_ns || call.start_ns > activities.end_ns) {
            continue;
        }
        call_by_correlation[call.correlation] = &call;
        trace.host_calls.push_back({call_name(call.name), since(activities.origin_ns, call.start_ns),
                                    since(activities.origin_ns, call.end_ns), {}});
    }
    std::stable_sort(trace.host_calls.begin(), trace.host_calls.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    std::vector<DeviceActivity> operations = activities.operations;
    std::stable_sort(operations.begin(), operations.end(),
                     [](const auto& a, const auto& b) { return a.correlation < b.correlation; });
    const auto numbers = stream_numbers(activities);
    for (const DeviceActivity& activity : operations) {
        const auto issued_by = call_by_correlation.find(activity.correlation);
        const CallActivity* const call = issued_by != call_by_correlation.end() ? issued_by->second : nullptr;
        device::Operation operation;
        operation.id = trace.operations.size() + 1;
        operation.kind = activity.kind;
        const std::string issuing_name = call != nullptr ? call_name(call->name) : std::string();
        const bool kernel = activity.kind == device::OperationKind::kernel;
        operation.name = kernel ? kernel_name(activity.name) : issuing_name;
        operation.stream = numbers.at(activity.cupti_stream);
        operation.issued = since(activities.origin_ns, call != nullptr ? call->end_ns : activity.start_ns);
        operation.start = since(activities.origin_ns, activity.start_ns);
        operation.end = since(activities.origin_ns, activity.end_ns);
        operation.bytes = activity.bytes;
        operation.host_memory = activity.host_memory;
        operation.asynchronous = kernel || ends_in_async(issuing_name);
        trace.operations.push_back(std::move(operation));
    }
    for (device::Range range : activities.ranges) {
        const nanoseconds origin(static_cast<std::int64_t>(activities.origin_ns));
        trace.ranges.push_back({range.name, range.start - origin, range.end - origin});
    }
    return trace;
}

}  // namespace gpu
