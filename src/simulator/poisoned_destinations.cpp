#include "simulator/poisoned_destinations.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>

#include "simulator/memory.hpp"

namespace simulator {
namespace {

unsigned bits_of_length(const Rows& rows) {
    return static_cast<unsigned>(std::bit_width(rows.span()));
}

}  // namespace

std::uint64_t PoisonedDestinations::poison(const Rows& rows) {
    Destination destination{rows, {}};
    destination.before.reserve(rows.bytes());
    rows.for_each([&destination](unsigned char* row, std::size_t bytes) {
        destination.before.insert(destination.before.end(), row, row + bytes);
        std::memset(row, poison_byte, bytes);
    });
    destinations_[bits_of_length(rows)][rows.begin()].emplace(++last_number_, std::move(destination));
    begins_.insert(rows.begin());
    ends_.insert(rows.end());
    return last_number_;
}

void PoisonedDestinations::restore(std::uintptr_t begin, std::uintptr_t end) {
    std::map<std::uint64_t, Rows> concerned;  // by number
    for (const auto& [bits, of_length] : destinations_) {
        const std::uintptr_t longest = (std::uintptr_t{1} << bits) - 1;
        const auto last = of_length.lower_bound(end);
        for (auto at = of_length.lower_bound(begin - std::min(begin, longest)); at != last; ++at) {
            if (at->first + longest <= begin) {
                continue;
            }
            for (const auto& [number, destination] : at->second) {
                if (destination.rows.end() > begin) {
                    concerned.emplace(number, destination.rows);
                }
            }
        }
    }
    for (const auto& [number, rows] : std::views::reverse(concerned)) {
        const Destination& destination = destinations_.at(bits_of_length(rows)).at(rows.begin()).at(number);
        const unsigned char* before = destination.before.data();
        rows.for_each([&before](unsigned char* row, std::size_t bytes) {
            std::memcpy(row, before, bytes);
            before += bytes;
        });
        erase(rows, number);
    }
}

void PoisonedDestinations::forget(const Rows& rows, std::uint64_t number) {
    const auto of_length = destinations_.find(bits_of_length(rows));
    if (of_length == destinations_.end()) {
        return;
    }
    const auto same_begin = of_length->second.find(rows.begin());
    if (same_begin != of_length->second.end() && same_begin->second.contains(number)) {
        erase(rows, number);
    }
}

std::pair<std::uintptr_t, std::uintptr_t> PoisonedDestinations::hull() const {
    return empty() ? std::pair<std::uintptr_t, std::uintptr_t>() : std::pair(*begins_.begin(), *ends_.rbegin());
}

void PoisonedDestinations::erase(const Rows& rows, std::uint64_t number) {
    begins_.erase(begins_.find(rows.begin()));
    ends_.erase(ends_.find(rows.end()));
    const auto of_length = destinations_.find(bits_of_length(rows));
    const auto same_begin = of_length->second.find(rows.begin());
    same_begin->second.erase(number);
    if (same_begin->second.empty()) {
        of_length->second.erase(same_begin);
    }
    if (of_length->second.empty()) {
        destinations_.erase(of_length);
    }
}

}  // namespace simulator
