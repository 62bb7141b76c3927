// Programs of the kind that the checker is tried on: what each step accesses, byte by byte, and which steps order.
#pragma once

#include <string>
#include <vector>

#include "simulator/ordering/access_recorder.hpp"

namespace simulator::generated {

constexpr unsigned buffer_bytes = 6000;  // no multiple of a page or of a recorder's line
constexpr unsigned device_buffers = 3;
constexpr unsigned pinned_buffers = 2;  // behind those of the device
constexpr unsigned pageable_buffer = device_buffers + pinned_buffers;
constexpr unsigned buffers = pageable_buffer + 1;
constexpr unsigned events = 4;
constexpr unsigned streams = 6;   // 0: the legacy default stream; 1 and 2 block; 3 and 4 do not; 5: the thread's own
constexpr unsigned branches = 3;  // of a graph; 0 is where its capture began
constexpr unsigned graphs = 2;    // of a program, at most

enum class Place { device, pinned, pageable };

Place place_of(unsigned buffer);
bool is_blocking(unsigned stream);

struct Interval {
    unsigned buffer = 0;
    unsigned begin = 0;
    unsigned end = 0;
};

// `height` rows of `width` bytes, `pitch` apart.
struct Bytes {
    unsigned buffer = 0;
    unsigned begin = 0;
    unsigned width = 0;
    unsigned pitch = 0;
    unsigned height = 0;

    std::vector<Interval> intervals() const;
    unsigned count() const { return width * height; }
};

struct StepAccess {
    Bytes bytes;
    Access kind = Access::read;
};

enum class Kind {
    kernel,         // reads `from`, writes or atomically adds to `to`
    copy,           // from `from` to `to`, asynchronous
    sync_copy,      // the same by a call without a stream: in the legacy default stream
    fill,           // asynchronous
    sync_fill,      // by a call without a stream
    host_function,  // reads `from`, writes `to`, in stream order
    host_read,
    host_write,
    launch_graph,
    allocation,    // of device memory: takes time, promises no order
    renew_stream,  // destroyed, and another one made in its place
    record,
    wait,
    synchronize_stream,
    synchronize_event,
    synchronize_device,
    free,          // of device memory: waits for everything
    query_stream,  // until it succeeds
    query_event
};

struct Step {
    Kind kind = Kind::kernel;
    unsigned id = 0;      // unique in the program, and the same when other steps are taken out
    unsigned stream = 0;  // in a graph: its branch
    unsigned event = 0;   // in a graph: one of its own
    unsigned graph = 0;
    Bytes from = {};
    Bytes to = {};
    Access writes_by = Access::write;  // kernels: write or atomic
    unsigned value = 0;
    unsigned host_work_ns = 0;  // before the step
    bool by_hooks = false;      // host accesses: seen by the instrumentation; otherwise declared under a name

    bool orders() const { return kind >= Kind::record; }
    bool on_host() const { return kind == Kind::host_read || kind == Kind::host_write; }
    std::string name() const { return "step " + std::to_string(id); }
    std::vector<StepAccess> accesses() const;
};

using Steps = std::vector<Step>;

struct Program {
    Steps steps;
    std::vector<Steps> bodies;  // of the graphs
    bool registered = false;    // the pinned memory is registered memory instead

    std::string text() const;
};

}  // namespace simulator::generated
