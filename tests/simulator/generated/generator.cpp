#include "generated/generator.hpp"

#include <algorithm>
#include <array>

namespace simulator::generated {
namespace {

// The host's own accesses, and what a call reads before it returns: no stream can be made to wait for another there.
bool reads_on_host(const Step& step) {
    return step.on_host() || (step.kind == Kind::copy && place_of(step.from.buffer) == Place::pageable);
}

}  // namespace

Program Generator::ordered_program(std::size_t accesses) {
    Program program;
    program.registered = pick(3) == 0;
    const unsigned known_graphs = pick(graphs + 1);
    program.bodies.resize(known_graphs);
    for (unsigned graph = 0; graph < known_graphs; ++graph) {
        program.bodies[graph] = graph_body(program, graph);
    }
    Oracle oracle(program.bodies);
    const Add add = [&](Step step) {
        step.id = step.id == 0 ? ++last_id_ : step.id;
        program.steps.push_back(step);
        oracle.add(step);
    };
    for (std::size_t i = 0; i < accesses; ++i) {
        Step step = random_step(known_graphs);
        step.id = ++last_id_;
        for (auto before = oracle.unordered_streams(step); !before.empty(); before = oracle.unordered_streams(step)) {
            order(before[pick(before.size())], step, add);
        }
        add(step);
        if (pick(4) == 0) {  // as programs do: an event right behind the work
            add({.kind = Kind::record, .stream = step.stream, .event = pick(events)});
        }
    }
    return program;
}

unsigned Generator::buffer_at(Place place) {
    return place == Place::device   ? pick(device_buffers)
           : place == Place::pinned ? device_buffers + pick(pinned_buffers)
                                    : pageable_buffer;
}

// Chunks of a grid, not quite chunks of a grid, single bytes, and rows.
Bytes Generator::shape() {
    constexpr unsigned chunk = 750;
    switch (pick(6)) {
        case 0:
            return {.width = 1 + pick(8), .height = 1};
        case 1:
            return {.width = chunk * (1 + pick(4)) + pick(3) - 1, .height = 1};
        case 2:
            return {.width = 1 + pick(200), .height = 2 + pick(3)};
        default:
            return {.width = chunk * (1 + pick(3)), .height = 1};
    }
}

Bytes Generator::placed(Bytes shape, unsigned buffer) {
    constexpr unsigned grid = 750;
    const unsigned gap = pick(3) == 0 ? 0 : 1 + pick(150);
    shape.buffer = buffer;
    shape.pitch = shape.height == 1 ? shape.width : shape.width + gap;
    const unsigned span = (shape.height - 1) * shape.pitch + shape.width;
    const unsigned jitter = pick(4) == 0 ? pick(5) : 0;
    shape.begin = std::min(pick(buffer_bytes / grid) * grid + jitter, buffer_bytes - span);
    return shape;
}

Step Generator::random_step(unsigned known_graphs) {
    Step step = random_access();
    const unsigned instead = pick(16);
    if (known_graphs > 0 && instead < 3) {
        step = {.kind = Kind::launch_graph, .graph = pick(known_graphs)};
    } else if (instead == 4) {
        step = {.kind = Kind::allocation};
    } else if (instead == 5) {
        return {.kind = Kind::renew_stream, .stream = 1 + pick(4)};
    }
    step.stream = step.kind == Kind::sync_copy || step.kind == Kind::sync_fill ? 0 : pick(streams);
    step.host_work_ns = pick(3) == 0 ? pick(30'000) : 0;
    return step;
}

Step Generator::random_access() {
    const Place on_device_or_host[] = {Place::device, Place::pinned, Place::pageable};
    switch (pick(10)) {
        case 0:
        case 1:
        case 2:
            return random_kernel();
        case 3:
        case 4:
        case 5:
            return random_copy();
        case 6: {
            const unsigned buffer = buffer_at(on_device_or_host[pick(2)]);
            return {
                .kind = pick(2) == 0 ? Kind::fill : Kind::sync_fill, .to = placed(shape(), buffer), .value = pick(256)};
        }
        case 7: {
            const Bytes bytes = shape();
            return {.kind = Kind::host_function,
                    .from = placed(bytes, buffer_at(Place::pinned)),
                    .to = placed(bytes, buffer_at(Place::pinned)),
                    .value = pick(256)};
        }
        default: {
            const Bytes bytes = placed(shape(), buffer_at(on_device_or_host[1 + pick(2)]));
            const Kind kind = pick(2) == 0 ? Kind::host_read : Kind::host_write;
            Step step{.kind = kind, .value = pick(256), .by_hooks = pick(2) == 0};
            (kind == Kind::host_read ? step.from : step.to) = bytes;
            return step;
        }
    }
}

Step Generator::random_kernel() {
    const Bytes bytes = shape();
    const Place places[] = {Place::device, Place::device, Place::device, Place::pinned};
    Step step{.kind = Kind::kernel, .value = pick(256)};
    step.from = placed(bytes, buffer_at(places[pick(4)]));
    step.to = placed(bytes, buffer_at(places[pick(4)]));
    step.writes_by = pick(3) == 0 ? Access::atomic : Access::write;
    if (step.writes_by == Access::atomic) {  // no plain access of the sum
        step.from = placed(bytes, step.to.buffer == 0 ? 1U : 0U);
    }
    return step;
}

Step Generator::random_copy() {
    const std::array<std::pair<Place, Place>, 8> directions{{{Place::pinned, Place::device},
                                                             {Place::pinned, Place::device},
                                                             {Place::device, Place::pinned},
                                                             {Place::device, Place::pinned},
                                                             {Place::device, Place::device},
                                                             {Place::pageable, Place::device},
                                                             {Place::device, Place::pageable},
                                                             {Place::pinned, Place::pageable}}};
    const auto [from, to] = directions[pick(directions.size())];
    const Bytes bytes = shape();
    Step step{.kind = pick(4) == 0 ? Kind::sync_copy : Kind::copy};
    step.from = placed(bytes, buffer_at(from));
    do {
        step.to = placed(bytes, buffer_at(to));
    } while (step.to.buffer == step.from.buffer);
    return step;
}

Step Generator::random_step_of_a_graph() {
    while (true) {
        Step step = random_access();
        const bool pageable = step.from.buffer == pageable_buffer || step.to.buffer == pageable_buffer;
        const bool between_hosts = step.kind == Kind::copy && place_of(step.from.buffer) != Place::device &&
                                   place_of(step.to.buffer) != Place::device;
        const bool possible = step.kind == Kind::kernel || step.kind == Kind::copy || step.kind == Kind::fill ||
                              step.kind == Kind::host_function;
        if (possible && !pageable && !between_hosts) {
            step.stream = pick(branches);
            step.id = ++last_id_;
            return step;
        }
    }
}

Steps Generator::graph_body(const Program& program, unsigned graph) {
    Steps body;
    Oracle oracle(program.bodies);
    oracle.begin_graph(graph, 0);
    unsigned own_events = 0;
    const auto add = [&](const Step& step) {
        body.push_back(step);
        oracle.add(step);
    };
    const unsigned accesses = 2 + pick(5);
    for (unsigned i = 0; i < accesses; ++i) {
        const Step step = random_step_of_a_graph();
        for (auto before = oracle.unordered_streams(step); !before.empty(); before = oracle.unordered_streams(step)) {
            const unsigned event = own_events++;
            add({.kind = Kind::record, .id = ++last_id_, .stream = before[pick(before.size())], .event = event});
            add({.kind = Kind::wait, .id = ++last_id_, .stream = step.stream, .event = event});
        }
        add(step);
    }
    return body;
}

// Puts all work of `stream` so far before `next`.
void Generator::order(unsigned stream, const Step& next, const Add& add) {
    const unsigned event = pick(events);
    switch (pick(reads_on_host(next) ? 6 : 12)) {
        case 0:
            return add({.kind = Kind::synchronize_stream, .stream = stream});
        case 1:
            return add({.kind = Kind::query_stream, .stream = stream});
        case 2:
            return add({.kind = Kind::synchronize_device});
        case 3:
            add({.kind = Kind::record, .stream = stream, .event = event});
            return add({.kind = Kind::synchronize_event, .event = event});
        case 4:
            add({.kind = Kind::record, .stream = stream, .event = event});
            return add({.kind = Kind::query_event, .event = event});
        case 5:
            return add({.kind = Kind::free});
        default:
            add({.kind = Kind::record, .stream = stream, .event = event});
            return add({.kind = Kind::wait, .stream = next.stream, .event = event});
    }
}

}  // namespace simulator::generated
