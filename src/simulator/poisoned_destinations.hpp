// The destinations on the host of copies that have not begun. They are poisoned when the copy is issued, so that
// reading too early shows; what was there is kept for whatever comes before the copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "simulator/rows.hpp"

namespace simulator {

// Each step costs about the logarithm of how many destinations there are, however many of a kind a program queues.
class PoisonedDestinations {
public:
    // Fills `rows` with poison. Returns a number for them, greater than any before.
    std::uint64_t poison(const Rows& rows);

    // Puts back what was in the destinations that overlap [begin, end): the one that was poisoned last comes first.
    void restore(std::uintptr_t begin, std::uintptr_t end);

    // The copy to `rows` begins: nothing is put back there any more. None when they were restored before.
    void forget(const Rows& rows, std::uint64_t number);

    bool empty() const { return begins_.empty(); }

    // From the first byte of all destinations to the end of the last one; 0 and 0 when there are none.
    std::pair<std::uintptr_t, std::uintptr_t> hull() const;

private:
    struct Destination {
        Rows rows;
        std::vector<unsigned char> before;
    };
    using SameBegin = std::map<std::uint64_t, Destination>;  // by number
    // Apart by the binary order of their length: then those that overlap a byte begin near it.
    using OfLength = std::map<std::uintptr_t, SameBegin>;  // by begin

    void erase(const Rows& rows, std::uint64_t number);

    std::map<unsigned, OfLength> destinations_;  // by how many bits their length has
    std::multiset<std::uintptr_t> begins_;
    std::multiset<std::uintptr_t> ends_;
    std::uint64_t last_number_ = 0;
};

}  // namespace simulator
