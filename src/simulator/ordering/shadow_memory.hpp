// Remembers who touched which bytes last, and finds pairs of conflicting accesses that nothing puts in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "simulator/ordering/access_recorder.hpp"
#include "simulator/ordering/vector_clock.hpp"

namespace simulator {

struct AccessOwner {
    Epoch epoch;
    std::uint64_t operation = 0;  // 0: host code
    std::uintptr_t pc = 0;
    std::uint32_t label = 0;  // of trusted host code that has no pc: what it is called, as its owner numbers it
    bool operator==(const AccessOwner&) const = default;
};

// Two accesses of [begin, end), at least one of them a write, that nothing puts in order.
struct Conflict {
    AccessOwner earlier;  // seen first, which says nothing about the order on a real device
    Access earlier_kind = Access::read;
    AccessOwner later;
    Access later_kind = Access::read;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool operator==(const Conflict&) const = default;
};

class ShadowMemory {
public:
    // Notes that `owner`, whose past is `clock` (which covers owner.epoch), accesses [begin, end), and appends every
    // conflict with an earlier access. Two reads, or two atomics, never conflict. After a conflict with a write, the
    // later access stands for both.
    void access(std::uintptr_t begin, std::uintptr_t end, Access kind, const AccessOwner& owner,
                const VectorClock& clock, std::vector<Conflict>& conflicts);

    // Who wrote the bytes of [begin, end) last, each once; bytes that nobody wrote have none.
    std::vector<AccessOwner> last_writers(std::uintptr_t begin, std::uintptr_t end) const;

    // The stretches of [begin, end) that nobody wrote, as far as known; writes by owners of which `is_write` is false
    // do not count. They are as long as can be.
    struct Stretch {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
    };
    std::vector<Stretch> unwritten(std::uintptr_t begin, std::uintptr_t end,
                                   const std::function<bool(const AccessOwner&)>& is_write) const;

    // Forgets what happened in [begin, end): the memory was given back.
    void forget(std::uintptr_t begin, std::uintptr_t end);

    // How many stretches of memory are told apart.
    std::size_t segments() const { return segments_.size(); }

private:
    // What must be ordered before a later access: the last plain write, and everything since of which no part is
    // ordered before another part of its kind.
    struct State {
        std::optional<AccessOwner> write;
        std::vector<AccessOwner> atomics;
        std::vector<AccessOwner> reads;
        bool operator==(const State&) const = default;
    };
    struct Segment {
        std::uintptr_t end = 0;
        State state;
    };
    using Segments = std::map<std::uintptr_t, Segment>;  // by begin; they never overlap

    class ConflictList;

    Segments::iterator split(std::uintptr_t address);
    void fill_gaps(std::uintptr_t begin, std::uintptr_t end);
    void merge_equal(std::uintptr_t begin, std::uintptr_t end);
    void replace(std::uintptr_t begin, std::uintptr_t end, const AccessOwner& owner);
    static void check(const State& state, Access kind, const VectorClock& clock, ConflictList& list);
    static void add_to(std::vector<AccessOwner>& owners, const AccessOwner& owner, const VectorClock& clock);

    Segments segments_;
};

}  // namespace simulator
