#include "lab/host_side.hpp"

#include <cmath>

#include "device/hooks.h"
#include "lab/traced_range.hpp"

namespace lab {

void host_work(const Problem& problem) {
    problem.host->work();
}

void produce(const Problem& problem, Element* staging, std::size_t first, std::size_t elements) {
    problem.host->produce(staging, first, elements);
}

void consume(const Problem& problem, const Element* staging, std::size_t first, std::size_t elements) {
    problem.host->consume(staging, first, elements);
}

namespace harness {

void HostSide::set_data(const Element* inputs, Element* results, std::size_t elements) {
    inputs_ = inputs;
    results_ = results;
    elements_ = elements;
}

void HostSide::begin_run() {
    work_done_ns_ = 0;
    outside_ = false;
}

void HostSide::work() {
    const TracedRange range("host_work");
    device_hooks_host_work_ns(cost_.work_ns);
    work_done_ns_ += cost_.work_ns;
}

void HostSide::produce(Element* staging, std::size_t first, std::size_t elements) {
    if (!within_data(first, elements)) {
        return;
    }
    const TracedRange range("produce");
    const std::uint64_t begin_ns = device_hooks_clock_ns();
    device_hooks_host_writes(staging, elements * sizeof(Element), "lab::produce");
    device_hooks_trusted_copy(staging, inputs_ + first, elements * sizeof(Element));
    spend_until(begin_ns, elements);
}

void HostSide::consume(const Element* staging, std::size_t first, std::size_t elements) {
    if (!within_data(first, elements)) {
        return;
    }
    const TracedRange range("consume");
    const std::uint64_t begin_ns = device_hooks_clock_ns();
    device_hooks_host_reads(staging, elements * sizeof(Element), "lab::consume");
    device_hooks_trusted_copy(results_ + first, staging, elements * sizeof(Element));
    spend_until(begin_ns, elements);
}

bool HostSide::within_data(std::size_t first, std::size_t elements) {
    const bool within = first <= elements_ && elements <= elements_ - first;
    outside_ = outside_ || !within;
    return within && elements > 0;
}

// The copy itself takes some of the time; the rest passes here, so that every device's host is equally busy. Rounded up,
// so that a chunk in many tiny pieces is not free.
void HostSide::spend_until(std::uint64_t begin_ns, std::size_t elements) const {
    const double share = static_cast<double>(elements) / static_cast<double>(cost_.chunk_elements);
    const auto cost_ns = static_cast<std::uint64_t>(std::ceil(static_cast<double>(cost_.copy_ns) * share));
    const std::uint64_t passed_ns = device_hooks_clock_ns() - begin_ns;
    if (passed_ns < cost_ns) {
        device_hooks_host_work_ns(cost_ns - passed_ns);
    }
}

}  // namespace harness
}  // namespace lab
