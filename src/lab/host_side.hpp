// What the harness keeps for lab::host_work, produce and consume during one problem: their data, their cost, and what
// was asked of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/problem.h"

namespace lab::harness {

// How long the host's own work takes, in nanoseconds: host_work() in all, produce() and consume() for one chunk.
struct HostCost {
    std::uint64_t work_ns = 0;
    std::uint64_t copy_ns = 0;
    std::size_t chunk_elements = 1;
};

class HostSide {
public:
    HostSide() = default;
    explicit HostSide(const HostCost& cost) : cost_(cost) {}

    // Where the inputs are taken from and the results go to: `elements` each.
    void set_data(const Element* inputs, Element* results, std::size_t elements);

    void work();
    void produce(Element* staging, std::size_t first, std::size_t elements);
    void consume(const Element* staging, std::size_t first, std::size_t elements);

    // Since begin_run(): what work() took, and whether elements were asked for that do not exist.
    void begin_run();
    std::uint64_t work_done_ns() const { return work_done_ns_; }
    bool asked_outside_data() const { return outside_; }

private:
    bool within_data(std::size_t first, std::size_t elements);
    void spend_until(std::uint64_t begin_ns, std::size_t elements) const;

    HostCost cost_;
    const Element* inputs_ = nullptr;
    Element* results_ = nullptr;
    std::size_t elements_ = 0;
    std::uint64_t work_done_ns_ = 0;
    bool outside_ = false;
};

}  // namespace lab::harness
