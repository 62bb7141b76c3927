#include "generated/oracle.hpp"

#include <algorithm>
#include <stdexcept>

namespace simulator::generated {
namespace {

bool conflict(Access a, Access b) {
    return a != b || a == Access::write;
}

}  // namespace

void Oracle::add(const Step& step) {
    if (launch_) {
        return add_in_graph(step);
    }
    switch (step.kind) {
        case Kind::host_read:
        case Kind::host_write:
            host_ = new_node({host_});
            note(step, host_);
            break;
        case Kind::record:
            recordings_[step.event] = in_stream(step.stream, {});
            break;
        case Kind::wait:  // for the latest recording; none is an empty set of work
            if (recordings_[step.event]) {
                in_stream(step.stream, {*recordings_[step.event]});
            }
            break;
        case Kind::synchronize_stream:
        case Kind::query_stream:
            host_ = new_node(with_stream(step.stream, {host_}));
            break;
        case Kind::synchronize_event:
        case Kind::query_event:
            host_ = recordings_[step.event] ? new_node({host_, *recordings_[step.event]}) : host_;
            break;
        case Kind::synchronize_device:
        case Kind::free:
            host_ = after_everything();
            break;
        case Kind::renew_stream:
            if (is_blocking(step.stream)) {
                retired_.push_back(tails_[step.stream]);
            }
            tails_[step.stream] = 0;
            break;
        case Kind::launch_graph:
            begin_graph(step.graph, step.stream);
            for (const Step& inner : (*bodies_)[step.graph]) {
                add(inner);
            }
            end_graph();
            break;
        case Kind::allocation:
            break;
        case Kind::copy:
            add_async_copy(step);
            break;
        case Kind::sync_copy:
            add_sync_copy(step);
            break;
        case Kind::sync_fill:
            note(step, in_stream(0, {}));
            if (place_of(step.to.buffer) == Place::pinned) {
                host_ = new_node({host_, tails_[0]});
            }
            break;
        case Kind::kernel:
        case Kind::fill:
        case Kind::host_function:
            note(step, in_stream(step.stream, {}));
            break;
    }
}

// Pageable sources are read when the call is made. Between host buffers the call returns when all is done.
void Oracle::add_async_copy(const Step& step) {
    const StepAccess read{step.from, Access::read};
    const StepAccess write{step.to, Access::write};
    const bool from_host = place_of(step.from.buffer) != Place::device;
    const bool to_host = place_of(step.to.buffer) != Place::device;
    if (from_host && to_host) {
        host_ = new_node(with_stream(step.stream, {host_}));
        return note(step, host_);
    }
    if (place_of(step.from.buffer) == Place::pageable) {
        host_ = new_node({host_});
        note(step, read, host_);
        return note(step, write, in_stream(step.stream, {}));
    }
    note(step, in_stream(step.stream, {}));
}

// To the device from pageable memory: a stream synchronization, then staging; the rest may still run. On the device:
// the host is not blocked. Otherwise the call returns when all is done.
void Oracle::add_sync_copy(const Step& step) {
    const bool from_device = place_of(step.from.buffer) == Place::device;
    const bool to_device = place_of(step.to.buffer) == Place::device;
    if (!from_device && !to_device) {
        host_ = new_node(with_stream(0, {host_}));
        return note(step, host_);
    }
    if (to_device && place_of(step.from.buffer) == Place::pageable) {
        host_ = new_node(with_stream(0, {host_}));
        note(step, {step.from, Access::read}, host_);
        return note(step, {step.to, Access::write}, in_stream(0, {}));
    }
    note(step, in_stream(0, {}));
    if (!from_device || !to_device) {
        host_ = new_node({host_, tails_[0]});
    }
}

// --- graphs ---

void Oracle::begin_graph(unsigned graph, unsigned stream) {
    launch_ = GraphLaunch{};
    launch_->graph = graph;
    launch_->stream = stream;
    launch_->first = in_stream(stream, {launched_[graph]});  // a graph does not run beside itself
    launch_->tails.fill(launch_->first);                     // every branch is forked at the beginning ...
}

void Oracle::end_graph() {
    const GraphLaunch launch = *launch_;
    launch_.reset();
    const Node end = new_node({launch.tails.begin(), launch.tails.end()});  // ... and joined at the end
    for (Node node = launch.first; node <= end; ++node) {
        streams_[node] = launch.stream;
    }
    tails_[launch.stream] = launched_[launch.graph] = end;
}

void Oracle::add_in_graph(const Step& step) {
    Node& tail = launch_->tails[step.stream];
    if (step.kind == Kind::record) {
        launch_->recordings[step.event] = tail;
        return;
    }
    if (step.kind == Kind::wait) {
        tail = new_node({tail, launch_->recordings.at(step.event)});
        return;
    }
    tail = new_node({tail});
    streams_[tail] = step.stream;
    note(step, tail);
}

// --- order ---

Oracle::Node Oracle::new_node(const std::vector<Node>& after) {
    Past past;
    for (const Node before : after) {
        past |= pasts_[before];
        past.set(before);
    }
    if (pasts_.size() == most_nodes) {
        throw std::length_error("the oracle expected at most 768 nodes");
    }
    pasts_.push_back(past);
    return pasts_.size() - 1;
}

Oracle::Node Oracle::after_everything() {
    std::vector<Node> all(pasts_.size());
    for (Node node = 0; node < all.size(); ++node) {
        all[node] = node;
    }
    return new_node(all);
}

// Work in the legacy default stream comes after all blocking streams, and they come after it.
std::vector<Oracle::Node> Oracle::with_stream(unsigned stream, std::vector<Node> after) const {
    after.push_back(tails_[stream]);
    if (stream == 0) {
        for (unsigned other = 1; other < streams; ++other) {
            if (is_blocking(other)) {
                after.push_back(tails_[other]);
            }
        }
        after.insert(after.end(), retired_.begin(), retired_.end());
    }
    return after;
}

Oracle::Node Oracle::in_stream(unsigned stream, std::vector<Node> after) {
    after = with_stream(stream, std::move(after));
    after.push_back(host_);
    if (is_blocking(stream)) {
        after.push_back(tails_[0]);
    }
    tails_[stream] = new_node(after);
    streams_[tails_[stream]] = stream;
    return tails_[stream];
}

// --- races ---

void Oracle::note(const Step& step, Node node) {
    for (const StepAccess& access : step.accesses()) {
        note(step, access, node);
    }
}

void Oracle::note(const Step& step, const StepAccess& access, Node node) {
    for (const Noted& earlier : noted_) {
        if (earlier.node == node || pasts_[node][earlier.node] || !conflict(earlier.access.kind, access.kind) ||
            earlier.access.bytes.buffer != access.bytes.buffer) {
            continue;
        }
        for (const Interval& a : earlier.access.bytes.intervals()) {
            for (const Interval& b : access.bytes.intervals()) {
                const Interval both{a.buffer, std::max(a.begin, b.begin), std::min(a.end, b.end)};
                if (both.begin < both.end) {
                    races_.push_back({earlier.step, earlier.access.kind, step, access.kind, both});
                }
            }
        }
    }
    noted_.push_back({node, step, access});
}

std::vector<unsigned> Oracle::unordered_streams(const Step& step) const {
    Oracle next = *this;
    next.races_.clear();
    next.add(step);
    std::vector<unsigned> found;
    for (const Race& race : next.races_) {
        for (const Noted& noted : noted_) {
            const auto stream = streams_.find(noted.node);
            if (noted.step.id == race.earlier.id && stream != streams_.end()) {
                found.push_back(stream->second);
            }
        }
    }
    return found;
}

std::vector<Race> races_in(const Program& program) {
    Oracle oracle(program.bodies);
    for (const Step& step : program.steps) {
        oracle.add(step);
    }
    return oracle.races();
}

}  // namespace simulator::generated
