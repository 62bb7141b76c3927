#include "simulator/ordering/shadow_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace simulator {

// Appends conflicts segment by segment, joining those that continue one of the segment before.
class ShadowMemory::ConflictList {
public:
    ConflictList(std::vector<Conflict>& conflicts, const AccessOwner& later, Access later_kind)
        : conflicts_(conflicts), later_(later), later_kind_(later_kind) {}

    void start_segment(std::uintptr_t begin, std::uintptr_t end) {
        std::swap(before_, current_);
        current_.clear();
        begin_ = begin;
        end_ = end;
    }

    void add(const AccessOwner& earlier, Access earlier_kind) {
        const Conflict next{earlier, earlier_kind, later_, later_kind_, begin_, end_};
        const auto continues = [&](std::size_t index) {
            const Conflict& known = conflicts_[index];
            return known.end == begin_ && known.earlier == earlier && known.earlier_kind == earlier_kind;
        };
        const auto known = std::ranges::find_if(before_, continues);
        if (known != before_.end()) {
            conflicts_[*known].end = end_;
            current_.push_back(*known);
        } else {
            current_.push_back(conflicts_.size());
            conflicts_.push_back(next);
        }
    }

private:
    std::vector<Conflict>& conflicts_;
    const AccessOwner later_;
    const Access later_kind_;
    std::vector<std::size_t> before_;   // indices of the conflicts of the segment before this one
    std::vector<std::size_t> current_;  // and of this one
    std::uintptr_t begin_ = 0;
    std::uintptr_t end_ = 0;
};

void ShadowMemory::access(std::uintptr_t begin, std::uintptr_t end, Access kind, const AccessOwner& owner,
                          const VectorClock& clock, std::vector<Conflict>& conflicts) {
    if (begin >= end) {
        return;
    }
    split(begin);
    split(end);
    ConflictList list(conflicts, owner, kind);
    for (auto segment = segments_.lower_bound(begin); segment != segments_.end() && segment->first < end; ++segment) {
        list.start_segment(segment->first, segment->second.end);
        check(segment->second.state, kind, clock, list);
    }
    if (kind == Access::write) {
        replace(begin, end, owner);
    } else {
        fill_gaps(begin, end);
        for (auto segment = segments_.lower_bound(begin); segment != segments_.end() && segment->first < end;
             ++segment) {
            State& state = segment->second.state;
            add_to(kind == Access::read ? state.reads : state.atomics, owner, clock);
        }
    }
    merge_equal(begin, end);
}

std::vector<AccessOwner> ShadowMemory::last_writers(std::uintptr_t begin, std::uintptr_t end) const {
    std::vector<AccessOwner> writers;
    auto segment = segments_.upper_bound(begin);
    if (segment != segments_.begin() && std::prev(segment)->second.end > begin) {
        --segment;
    }
    for (; segment != segments_.end() && segment->first < end; ++segment) {
        const std::optional<AccessOwner>& writer = segment->second.state.write;
        if (writer && std::ranges::find(writers, *writer) == writers.end()) {
            writers.push_back(*writer);
        }
    }
    return writers;
}

std::vector<ShadowMemory::Stretch> ShadowMemory::unwritten(
    std::uintptr_t begin, std::uintptr_t end, const std::function<bool(const AccessOwner&)>& is_write) const {
    std::vector<Stretch> found;
    const auto add = [&found](std::uintptr_t from, std::uintptr_t to) {
        if (from < to && !found.empty() && found.back().end == from) {
            found.back().end = to;
        } else if (from < to) {
            found.push_back({from, to});
        }
    };
    auto segment = segments_.upper_bound(begin);
    if (segment != segments_.begin() && std::prev(segment)->second.end > begin) {
        --segment;
    }
    for (; begin < end && segment != segments_.end() && segment->first < end; ++segment) {
        add(begin, segment->first);
        const State& state = segment->second.state;
        if (state.atomics.empty() && !(state.write && is_write(*state.write))) {
            add(std::max(begin, segment->first), std::min(end, segment->second.end));
        }
        begin = std::max(begin, segment->second.end);
    }
    add(begin, end);
    return found;
}

void ShadowMemory::forget(std::uintptr_t begin, std::uintptr_t end) {
    if (begin < end) {
        const auto first = split(begin);
        segments_.erase(first, split(end));
    }
}

// Makes `address` a bound between segments where one spans it. Returns the first segment at or after it.
ShadowMemory::Segments::iterator ShadowMemory::split(std::uintptr_t address) {
    const auto after = segments_.lower_bound(address);
    if (after == segments_.begin()) {
        return after;
    }
    Segment& before = std::prev(after)->second;
    if (before.end <= address) {
        return after;
    }
    const auto second_part = segments_.emplace_hint(after, address, before);
    before.end = address;
    return second_part;
}

void ShadowMemory::fill_gaps(std::uintptr_t begin, std::uintptr_t end) {
    auto segment = segments_.lower_bound(begin);
    while (begin < end) {
        const std::uintptr_t next = segment == segments_.end() ? end : std::min(end, segment->first);
        if (begin < next) {
            segments_.emplace_hint(segment, begin, Segment{next, {}});
            begin = next;
        } else {
            begin = segment->second.end;
            ++segment;
        }
    }
}

void ShadowMemory::merge_equal(std::uintptr_t begin, std::uintptr_t end) {
    auto segment = segments_.lower_bound(begin);
    if (segment != segments_.begin()) {
        --segment;
    }
    while (segment != segments_.end() && segment->first < end) {
        const auto next = std::next(segment);
        if (next == segments_.end() || next->first > end) {
            return;
        }
        if (segment->second.end == next->first && segment->second.state == next->second.state) {
            segment->second.end = next->second.end;
            segments_.erase(next);
        } else {
            segment = next;
        }
    }
}

// One segment in which `owner` wrote last, in place of all segments inside [begin, end).
void ShadowMemory::replace(std::uintptr_t begin, std::uintptr_t end, const AccessOwner& owner) {
    auto first = segments_.lower_bound(begin);
    if (first == segments_.end() || first->first != begin) {
        first = segments_.emplace_hint(first, begin, Segment{});
    }
    segments_.erase(std::next(first), segments_.lower_bound(end));
    first->second.end = end;
    State& state = first->second.state;
    state.write = owner;
    state.atomics.clear();
    state.reads.clear();
}

void ShadowMemory::check(const State& state, Access kind, const VectorClock& clock, ConflictList& list) {
    if (state.write && !clock.covers(state.write->epoch)) {
        list.add(*state.write, Access::write);
    }
    if (kind != Access::atomic) {
        for (const AccessOwner& earlier : state.atomics) {
            if (!clock.covers(earlier.epoch)) {
                list.add(earlier, Access::atomic);
            }
        }
    }
    if (kind != Access::read) {
        for (const AccessOwner& earlier : state.reads) {
            if (!clock.covers(earlier.epoch)) {
                list.add(earlier, Access::read);
            }
        }
    }
}

// Whoever is ordered after `owner` is ordered after all that it is ordered after: those need no place of their own.
void ShadowMemory::add_to(std::vector<AccessOwner>& owners, const AccessOwner& owner, const VectorClock& clock) {
    const auto same_moment = [&](const AccessOwner& known) {
        return known.epoch == owner.epoch && known.operation == owner.operation;
    };
    if (std::ranges::any_of(owners, same_moment)) {
        return;  // its first access stands for all
    }
    std::erase_if(owners, [&](const AccessOwner& known) { return clock.covers(known.epoch); });
    owners.push_back(owner);
}

}  // namespace simulator
