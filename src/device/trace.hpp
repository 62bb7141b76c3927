// What a device did: operations, host calls, named ranges and findings, on one time line.
// Both devices write it (the simulator from virtual time, the GPU through CUPTI); checks and timeline read it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace device {

enum class OperationKind { host_to_device, device_to_host, device_to_device, host_to_host, memset, kernel, host_function };

// What kind of host memory a copy used; `none` where none took part, or managed memory. Both `pinned` and `registered` are
// pinned: by allocation, and by cudaHostRegister. A GPU's trace does not tell the two apart and says `pinned`.
enum class HostMemory { none, pageable, pinned, registered };

// A line of the program's source; `line` 0 means unknown (a GPU trace knows no lines).
struct SourceLine {
    std::string file;
    int line = 0;
    bool operator==(const SourceLine&) const = default;
};

// One copy, memset or kernel on the device, or a host function that runs in a stream. Times count from the start of the program.
struct Operation {
    std::uint64_t id = 0;  // in order of issue, from 1
    OperationKind kind = OperationKind::kernel;
    std::string name;          // the API call, or the kernel's name without namespaces, template arguments, parameters
    std::uint32_t stream = 0;  // 0 is the legacy default stream; the others count from 1 in order of creation
    std::chrono::nanoseconds issued{};
    std::chrono::nanoseconds start{};
    std::chrono::nanoseconds end{};
    std::uint64_t bytes = 0;  // copies and memsets; 0 for others
    HostMemory host_memory = HostMemory::none;
    bool asynchronous = false;  // issued by a call whose name ends in Async, or a launch
    SourceLine at;
    bool operator==(const Operation&) const = default;
};

// One call of the CUDA runtime API as the host saw it.
struct HostCall {
    std::string name;
    std::chrono::nanoseconds start{};
    std::chrono::nanoseconds end{};
    SourceLine at;
    bool operator==(const HostCall&) const = default;
};

// A named stretch of host time, such as "run" around the timed part of a lab.
struct Range {
    std::string name;
    std::chrono::nanoseconds start{};
    std::chrono::nanoseconds end{};
    bool operator==(const Range&) const = default;
};

enum class Severity { error, warning };

// Something the simulated device found wrong. `kind` names it ("unordered_access", "leaked_stream", ...) and is the
// key of its text in src/messages ("finding.<kind>"); `details` holds the values that the text names.
struct Finding {
    std::string kind;
    Severity severity = Severity::error;
    SourceLine at;     // where it was noticed
    SourceLine other;  // the other access of a pair, where there is one
    std::map<std::string, std::string> details;
    bool operator==(const Finding&) const = default;
};

struct Trace {
    std::string device;   // "NVIDIA H200"
    std::string profile;  // the simulated device's profile; empty on a GPU
    bool simulated = false;
    unsigned copy_engines = 0;
    std::vector<Operation> operations;  // in order of issue
    std::vector<HostCall> host_calls;   // in order of start
    std::vector<Range> ranges;
    std::vector<Finding> findings;
    bool operator==(const Trace&) const = default;
};

// Reads a trace file (JSON). Throws std::runtime_error naming the file and what is wrong with it.
Trace read_trace(const std::filesystem::path& file);

// Writes `trace` as JSON. The same trace gives the same bytes. Throws std::runtime_error when it cannot be written.
void write_trace(const std::filesystem::path& file, const Trace& trace);

}  // namespace device
