#include "generated/simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "simulator/ordering/instrumentation.hpp"

namespace simulator::generated {
namespace {

// No address of code, so that no line is looked up; unique for each step, as the lines of a program are.
std::uintptr_t place_of_call(const Step& step) {
    return step.id;
}

// Kernels access memory in small pieces, here and there in large ones.
void record_rows(const Rows& rows, Access kind, const Step& step) {
    rows.for_each([&](unsigned char* row, std::size_t bytes) {
        const std::size_t piece = bytes <= 64 || step.value % 8 == 0 ? 8 : bytes;
        for (std::size_t done = 0; done < bytes; done += piece) {
            record_access(row + done, std::min(piece, bytes - done), kind, place_of_call(step));
        }
    });
}

}  // namespace

// --- step by step ---

void Reference::run(const Step& step) {
    if (step.kind == Kind::launch_graph) {
        for (const Step& inner : bodies_[step.graph]) {
            run(inner);
        }
        return;
    }
    const Buffer source = memory_[step.from.buffer];  // what is read may overlap what is written
    Buffer& target = memory_[step.to.buffer];
    for (unsigned row = 0; row < step.to.height; ++row) {
        for (unsigned i = 0; i < step.to.width; ++i) {
            unsigned char& to = target[step.to.begin + row * step.to.pitch + i];
            const unsigned char from = source[step.from.begin + row * step.from.pitch + i];
            const bool adds = step.kind == Kind::kernel || step.kind == Kind::host_function;
            const bool copies = step.kind == Kind::copy || step.kind == Kind::sync_copy;
            to = static_cast<unsigned char>(step.writes_by == Access::atomic ? to + step.value
                                            : adds                           ? from + step.value
                                            : copies                         ? from
                                                                             : step.value);
        }
    }
}

// --- on the device ---

class Simulation::Kernel final : public KernelBody {
public:
    Kernel(const Step& step, const Simulation& simulation) : step_(step), simulation_(simulation) {}

    void run_thread() override {
        record_rows(simulation_.rows(step_.from), Access::read, step_);
        std::vector<unsigned char> result = simulation_.values(step_.from);
        record_rows(simulation_.rows(step_.to), step_.writes_by, step_);
        if (step_.writes_by == Access::atomic) {
            result = simulation_.values(step_.to);
        }
        for (unsigned char& value : result) {
            value = static_cast<unsigned char>(value + step_.value);
        }
        simulation_.put(step_.to, result);
    }

private:
    const Step step_;
    const Simulation& simulation_;
};

Simulation::Simulation(const device::Profile& profile, const Program& program)
    : ordinary_memory_((pinned_buffers + 1) * buffer_bytes), device_(profile) {
    // One allocation for all buffers of a kind: they lie next to each other, and findings name their place in it.
    auto* const on_device = static_cast<unsigned char*>(allocate(MemoryKind::device, device_buffers * buffer_bytes));
    unsigned char* pinned = ordinary_memory_.data();
    registered_ = program.registered;
    if (registered_) {
        EXPECT_EQ(device_.register_host(pinned, pinned_buffers * buffer_bytes, 0, 0), cudaSuccess);
    } else {
        pinned = static_cast<unsigned char*>(allocate(MemoryKind::pinned, pinned_buffers * buffer_bytes));
    }
    for (unsigned buffer = 0; buffer < buffers; ++buffer) {
        memory_[buffer] = place_of(buffer) == Place::device   ? on_device + buffer * buffer_bytes
                          : place_of(buffer) == Place::pinned ? pinned + (buffer - device_buffers) * buffer_bytes
                                                              : ordinary_memory_.data() + pinned_buffers * buffer_bytes;
        std::memset(memory_[buffer], 0, buffer_bytes);
    }
    EXPECT_EQ(device_.set({.to = Rows(on_device, device_buffers * buffer_bytes),
                           .value = 0,
                           .stream = device_.stream(nullptr),
                           .asynchronous = false,
                           .call = "initial values",
                           .called_from = 0}),
              cudaSuccess);
    device_.synchronize_all();
    for (unsigned stream = 1; stream < streams - 1; ++stream) {
        streams_[stream] = device_.create_stream(is_blocking(stream) ? cudaStreamDefault : cudaStreamNonBlocking, 0);
    }
    streams_[streams - 1] = cudaStreamPerThread;
    for (cudaEvent_t& event : events_) {
        event = device_.create_event(cudaEventDisableTiming, 0);
    }
    for (const Steps& body : program.bodies) {
        capture(body);
    }
}

Simulation::~Simulation() {
    if (registered_) {
        EXPECT_EQ(device_.release(MemoryKind::registered, memory_[device_buffers], 0), cudaSuccess);
    }
}

void* Simulation::allocate(MemoryKind kind, std::size_t bytes) {
    void* memory = nullptr;
    device_.begin_call();
    EXPECT_EQ(device_.allocate(kind, &memory, bytes, 0), cudaSuccess);
    return memory;
}

const char* Simulation::name(const Step& step) {
    return names_.emplace_back(step.name()).c_str();
}

void Simulation::capture(const Steps& body) {
    const RecordingPaused paused;
    std::array<Stream*, branches> in{};
    for (Stream*& stream : in) {
        stream = device_.stream(device_.create_stream(cudaStreamNonBlocking, 0));
    }
    const auto new_event = [&]() -> Event& { return *device_.event(device_.create_event(cudaEventDisableTiming, 0)); };
    const auto order = [&](Stream& before, Stream& after) {
        Event& event = new_event();
        EXPECT_EQ(device_.record(event, before), cudaSuccess);
        EXPECT_EQ(device_.wait(after, event, 0), cudaSuccess);
    };
    EXPECT_EQ(device_.begin_capture(*in[0], cudaStreamCaptureModeGlobal, 0), cudaSuccess);
    for (unsigned branch = 1; branch < branches; ++branch) {
        order(*in[0], *in[branch]);
    }
    std::map<unsigned, Event*> recordings;
    for (const Step& step : body) {
        if (step.kind == Kind::record) {
            recordings[step.event] = &new_event();
            EXPECT_EQ(device_.record(*recordings[step.event], *in[step.stream]), cudaSuccess);
        } else if (step.kind == Kind::wait) {
            EXPECT_EQ(device_.wait(*in[step.stream], *recordings.at(step.event), 0), cudaSuccess);
        } else {
            run_in(*in[step.stream], step);
        }
    }
    for (unsigned branch = 1; branch < branches; ++branch) {
        order(*in[branch], *in[0]);
    }
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(device_.end_capture(*in[0], &graph), cudaSuccess);
    graphs_.push_back(device_.instantiate(graph, 0));
}

void Simulation::run(const Step& step, const Reference* reads_right) {
    device_.spend(Time(step.host_work_ns));
    if (step.on_host()) {
        return access_on_host(step, reads_right);
    }
    const RecordingPaused paused;
    device_.begin_call();
    device_.spend(Time(1000));
    Stream& stream = *device_.stream(streams_[step.stream]);
    Event& event = *device_.event(events_[step.event]);
    switch (step.kind) {
        case Kind::launch_graph:
            EXPECT_EQ(device_.launch_graph(*device_.graph_exec(graphs_[step.graph]), stream), cudaSuccess);
            break;
        case Kind::allocation:
            allocate(MemoryKind::device, 64);
            break;
        case Kind::free:
            EXPECT_EQ(device_.release(MemoryKind::device, allocate(MemoryKind::device, 64), 0), cudaSuccess);
            break;
        case Kind::renew_stream:
            device_.destroy_stream(stream);
            streams_[step.stream] =
                device_.create_stream(is_blocking(step.stream) ? cudaStreamDefault : cudaStreamNonBlocking, 0);
            break;
        case Kind::record:
            EXPECT_EQ(device_.record(event, stream), cudaSuccess);
            break;
        case Kind::wait:
            EXPECT_EQ(device_.wait(stream, event, 0), cudaSuccess);
            break;
        case Kind::synchronize_stream:
            device_.synchronize(stream);
            break;
        case Kind::synchronize_event:
            device_.synchronize(event, 0);
            break;
        case Kind::synchronize_device:
            device_.synchronize_all();
            break;
        case Kind::query_stream:
            while (!device_.query(stream)) {
                device_.spend(Time(500));
            }
            break;
        case Kind::query_event:
            while (!device_.query(event)) {
                device_.spend(Time(500));
            }
            break;
        default:
            run_in(stream, step);
            break;
    }
}

void Simulation::run_in(Stream& stream, const Step& step) {
    switch (step.kind) {
        case Kind::kernel:
            EXPECT_EQ(device_.launch({step.name(), dim3(1), dim3(1), 0, &stream, std::make_shared<Kernel>(step, *this),
                                      place_of_call(step)}),
                      cudaSuccess);
            break;
        case Kind::copy:
            return copy(stream, step, true);
        case Kind::sync_copy:
            return copy(stream, step, false);
        case Kind::fill:
            return fill(stream, step, true);
        case Kind::sync_fill:
            return fill(stream, step, false);
        case Kind::host_function:
            EXPECT_EQ(device_.launch_host_function([this, step] { run_host_function(step); }, stream, name(step),
                                                   place_of_call(step)),
                      cudaSuccess);
            break;
        default:
            ADD_FAILURE() << "expected an operation, found " << step.name();
    }
}

void Simulation::copy(Stream& stream, const Step& step, bool asynchronous) {
    EXPECT_EQ(device_.copy({.to = rows(step.to),
                            .from = rows(step.from),
                            .stream = &stream,
                            .asynchronous = asynchronous,
                            .call = name(step),
                            .called_from = place_of_call(step)}),
              cudaSuccess);
}

void Simulation::fill(Stream& stream, const Step& step, bool asynchronous) {
    EXPECT_EQ(device_.set({.to = rows(step.to),
                           .value = static_cast<int>(step.value),
                           .stream = &stream,
                           .asynchronous = asynchronous,
                           .call = name(step),
                           .called_from = place_of_call(step)}),
              cudaSuccess);
}

void Simulation::access_on_host(const Step& step, const Reference* reads_right) {
    const Access kind = step.kind == Kind::host_read ? Access::read : Access::write;
    const Bytes& bytes = kind == Access::read ? step.from : step.to;
    if (step.by_hooks) {
        record_rows(rows(bytes), kind, step);
    } else {
        const RecordingPaused paused;
        device_.trusted_host_accesses(rows(bytes).accesses(kind), name(step));
    }
    const RecordingPaused paused;
    if (kind == Access::write) {
        put(bytes, std::vector<unsigned char>(bytes.count(), static_cast<unsigned char>(step.value)));
    } else if (reads_right != nullptr) {
        compare(bytes, *reads_right);
    }
}

void Simulation::run_host_function(const Step& step) const {
    record_rows(rows(step.from), Access::read, step);
    record_rows(rows(step.to), Access::write, step);
    std::vector<unsigned char> result = values(step.from);
    for (unsigned char& value : result) {
        value = static_cast<unsigned char>(value + step.value);
    }
    put(step.to, result);
}

const std::vector<device::Finding>& Simulation::finish() {
    device_.finish();
    return device_.findings();
}

std::vector<unsigned char> Simulation::values(const Bytes& bytes) const {
    std::vector<unsigned char> found;
    rows(bytes).for_each(
        [&](const unsigned char* row, std::size_t width) { found.insert(found.end(), row, row + width); });
    return found;
}

void Simulation::put(const Bytes& bytes, const std::vector<unsigned char>& values) const {
    const unsigned char* next = values.data();
    rows(bytes).for_each([&](unsigned char* row, std::size_t width) {
        std::copy_n(next, width, row);
        next += width;
    });
}

std::optional<std::string> Simulation::wrong_data(const Reference& right) {
    for (unsigned buffer = 0; buffer < buffers; ++buffer) {
        compare({buffer, 0, buffer_bytes, buffer_bytes, 1}, right);
    }
    return wrong_data_;
}

void Simulation::compare(const Bytes& bytes, const Reference& right) {
    for (const Interval& interval : bytes.intervals()) {
        const unsigned char* const expected = right.buffer(interval.buffer).data();
        const unsigned char* const found = memory_[interval.buffer];
        for (unsigned i = interval.begin; i < interval.end && !wrong_data_; ++i) {
            if (found[i] != expected[i]) {
                wrong_data_ = fmt::format("byte {} of buffer {}: expected {}, found {}", i, interval.buffer,
                                          expected[i], found[i]);
            }
        }
    }
}

}  // namespace simulator::generated
