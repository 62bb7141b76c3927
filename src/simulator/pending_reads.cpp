#include "simulator/pending_reads.hpp"

#include <iterator>

namespace simulator {

bool PendingReads::any_in(std::uintptr_t begin, std::uintptr_t end) const {
    auto entry = counts_.upper_bound(begin);
    if (entry != counts_.begin()) {
        --entry;
    }
    for (; begin < end && entry != counts_.end() && entry->first < end; ++entry) {
        const auto next = std::next(entry);
        const bool reaches_in = next == counts_.end() || next->first > begin;
        if (entry->second > 0 && reaches_in) {
            return true;
        }
    }
    return false;
}

void PendingReads::change(std::uintptr_t begin, std::uintptr_t end, int by) {
    if (begin >= end) {
        return;
    }
    const auto first = split(begin);
    const auto last = split(end);
    for (auto entry = first; entry != last; ++entry) {
        entry->second += static_cast<std::size_t>(by);
    }
    merge_before(last);
    merge_before(first);
}

// The entry that begins at `address`, with the count that was there.
PendingReads::Counts::iterator PendingReads::split(std::uintptr_t address) {
    const auto after = counts_.lower_bound(address);
    if (after != counts_.end() && after->first == address) {
        return after;
    }
    const std::size_t count = after == counts_.begin() ? 0 : std::prev(after)->second;
    return counts_.emplace_hint(after, address, count);
}

void PendingReads::merge_before(Counts::iterator entry) {
    const std::size_t before = entry == counts_.begin() ? 0 : std::prev(entry)->second;
    if (entry->second == before) {
        counts_.erase(entry);
    }
}

}  // namespace simulator
