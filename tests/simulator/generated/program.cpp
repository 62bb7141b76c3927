#include "generated/program.hpp"

#include <fmt/format.h>

#include <array>

namespace simulator::generated {
namespace {

std::string text_of(const Bytes& bytes) {
    return bytes.height == 1 ? fmt::format("{}[{}..{})", bytes.buffer, bytes.begin, bytes.begin + bytes.width)
                             : fmt::format("{}[{} + {} x {} every {}]", bytes.buffer, bytes.begin, bytes.height,
                                           bytes.width, bytes.pitch);
}

std::string text_of(const Step& step) {
    constexpr std::array names{"kernel",        "copy",      "sync copy",    "fill",         "sync fill",
                               "host function", "host read", "host write",   "launch graph", "allocation",
                               "renew stream",  "record",    "wait",         "sync stream",  "sync event",
                               "sync device",   "free",      "query stream", "query event"};
    std::string text = fmt::format("{:>4}: {} stream {} event {}", step.id, names[static_cast<std::size_t>(step.kind)],
                                   step.stream, step.event);
    if (step.from.height > 0) {
        text += " reads " + text_of(step.from);
    }
    if (step.to.height > 0) {
        text += (step.writes_by == Access::atomic ? " adds to " : " writes ") + text_of(step.to);
    }
    return step.kind == Kind::launch_graph ? text + fmt::format(" graph {}", step.graph) : text;
}

}  // namespace

Place place_of(unsigned buffer) {
    return buffer < device_buffers ? Place::device : buffer < pageable_buffer ? Place::pinned : Place::pageable;
}

bool is_blocking(unsigned stream) {
    return stream != 3 && stream != 4;
}

std::vector<Interval> Bytes::intervals() const {
    if (pitch == width) {
        return {{buffer, begin, begin + count()}};
    }
    std::vector<Interval> found;
    for (unsigned row = 0; row < height; ++row) {
        found.push_back({buffer, begin + row * pitch, begin + row * pitch + width});
    }
    return found;
}

std::vector<StepAccess> Step::accesses() const {
    switch (kind) {
        case Kind::kernel:
            return {{from, Access::read}, {to, writes_by}};
        case Kind::copy:
        case Kind::sync_copy:
        case Kind::host_function:
            return {{from, Access::read}, {to, Access::write}};
        case Kind::fill:
        case Kind::sync_fill:
        case Kind::host_write:
            return {{to, Access::write}};
        case Kind::host_read:
            return {{from, Access::read}};
        default:
            return {};
    }
}

std::string Program::text() const {
    std::string text = registered ? "registered memory\n" : "";
    for (std::size_t graph = 0; graph < bodies.size(); ++graph) {
        text += fmt::format("graph {}:\n", graph);
        for (const Step& step : bodies[graph]) {
            text += "  " + text_of(step) + "\n";
        }
    }
    for (const Step& step : steps) {
        text += text_of(step) + "\n";
    }
    return text;
}

}  // namespace simulator::generated
