// Which bytes of the host copies still have to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace simulator {

// Stretches of memory, each with the number of reads that are to come. What it holds and what a question costs depend
// on how many different stretches there are, not on how many reads: a million copies of one buffer are two entries.
class PendingReads {
public:
    void add(std::uintptr_t begin, std::uintptr_t end) { change(begin, end, 1); }

    // Takes back one add() of the same stretch.
    void remove(std::uintptr_t begin, std::uintptr_t end) { change(begin, end, -1); }

    // Whether any byte of [begin, end) is still to be read.
    bool any_in(std::uintptr_t begin, std::uintptr_t end) const;

    std::size_t entries() const { return counts_.size(); }

private:
    using Counts = std::map<std::uintptr_t, std::size_t>;  // from this address to the next one

    void change(std::uintptr_t begin, std::uintptr_t end, int by);
    Counts::iterator split(std::uintptr_t address);
    void merge_before(Counts::iterator entry);

    Counts counts_;  // neighbours differ; 0 before the first
};

}  // namespace simulator
