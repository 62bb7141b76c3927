// Vector time: which accesses are known to have happened before which.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulator {

// A moment in the life of one agent. Agent 0 is the host thread, the others are streams; numbers are never reused.
struct Epoch {
    std::uint32_t agent = 0;
    std::uint32_t time = 0;
    bool operator==(const Epoch&) const = default;
};

// For every agent, the latest of its moments that lies before "now". Agents never heard of stand at 0.
class VectorClock {
public:
    std::uint32_t time(std::uint32_t agent) const { return agent < times_.size() ? times_[agent] : 0; }

    // Starts the next moment of `agent` and returns it.
    Epoch advance(std::uint32_t agent) {
        if (agent >= times_.size()) {
            times_.resize(std::size_t{agent} + 1);
        }
        return {agent, ++times_[agent]};
    }

    // Puts everything that lies before `other` before this clock too.
    void join(const VectorClock& other) {
        if (other.times_.size() > times_.size()) {
            times_.resize(other.times_.size());
        }
        for (std::size_t agent = 0; agent < other.times_.size(); ++agent) {
            times_[agent] = std::max(times_[agent], other.times_[agent]);
        }
    }

    // True when `epoch` lies before (or is) this clock.
    bool covers(Epoch epoch) const { return time(epoch.agent) >= epoch.time; }

    // True when everything that lies before `other` lies before this clock.
    bool covers(const VectorClock& other) const {
        for (std::uint32_t agent = 0; agent < other.times_.size(); ++agent) {
            if (time(agent) < other.times_[agent]) {
                return false;
            }
        }
        return true;
    }

private:
    std::vector<std::uint32_t> times_;
};

}  // namespace simulator
