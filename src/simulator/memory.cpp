#include "simulator/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "simulator/device_variables.hpp"

namespace simulator {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t arena_bytes = std::size_t{64} << 30;          // addresses, not memory
constexpr std::size_t smallest_arena_bytes = std::size_t{1} << 30;  // where a limit on addresses is set

std::size_t block_bytes(std::size_t bytes) {
    // One page more than asked for, so that an access just past the end meets nobody else's bytes.
    return (bytes + page_bytes - 1) / page_bytes * page_bytes + page_bytes;
}

template <class Map>
auto last_at_or_before(Map& map, std::uintptr_t address) {
    auto after = map.upper_bound(address);
    return after == map.begin() ? map.end() : std::prev(after);
}

}  // namespace

Arena::Arena(std::size_t bytes) {
    for (; bytes >= smallest_arena_bytes; bytes /= 2) {
        void* const reserved =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (reserved != MAP_FAILED) {
            begin_ = reinterpret_cast<std::uintptr_t>(reserved);
            bytes_ = bytes;
            free_.emplace(begin_, bytes_);
            return;
        }
    }
    throw std::runtime_error(
        "the simulated device expected to reserve 1 GiB of addresses, found less: raise `ulimit -v`");
}

Arena::~Arena() {
    munmap(reinterpret_cast<void*>(begin_), bytes_);
}

std::uintptr_t Arena::take(std::size_t bytes) {
    if (bytes > bytes_) {
        return 0;
    }
    const std::size_t wanted = block_bytes(bytes);
    for (auto block = free_.begin(); block != free_.end(); ++block) {
        const auto [begin, available] = *block;
        if (available >= wanted) {
            free_.erase(block);
            if (available > wanted) {
                free_.emplace(begin + wanted, available - wanted);
            }
            return begin;
        }
    }
    return 0;
}

void Arena::give_back(std::uintptr_t begin, std::size_t bytes) {
    std::size_t returned = block_bytes(bytes);
    madvise(reinterpret_cast<void*>(begin), returned, MADV_DONTNEED);
    auto next = free_.lower_bound(begin);
    if (next != free_.end() && begin + returned == next->first) {
        returned += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        const auto previous = std::prev(next);
        if (previous->first + previous->second == begin) {
            previous->second += returned;
            return;
        }
    }
    free_.emplace(begin, returned);
}

Memory::Memory() : device_(arena_bytes), pinned_(arena_bytes) {}

std::optional<std::uintptr_t> Memory::allocate(MemoryKind kind, std::size_t bytes, std::size_t limit_bytes,
                                               std::uintptr_t caller) {
    const bool counts = kind != MemoryKind::pinned;  // managed memory may move to the device
    if (counts && (bytes > limit_bytes || device_bytes_ > limit_bytes - bytes)) {
        return std::nullopt;
    }
    const std::uintptr_t begin = arena_of(kind).take(bytes);
    if (begin == 0) {
        return std::nullopt;
    }
    std::memset(reinterpret_cast<void*>(begin), poison_byte, bytes);
    live_[begin] = Allocation{begin, bytes, kind, caller};
    device_bytes_ += counts ? bytes : 0;
    return begin;
}

std::optional<Allocation> Memory::free(MemoryKind kind, std::uintptr_t begin, std::uintptr_t caller) {
    const auto found = live_.find(begin);
    if (found == live_.end() || found->second.kind != kind) {
        return std::nullopt;
    }
    Allocation gone = found->second;
    gone.freed_at = caller;
    live_.erase(found);
    if (kind != MemoryKind::registered) {
        arena_of(kind).give_back(begin, gone.bytes);
        freed_[begin] = gone;
    }
    const bool counts = (kind == MemoryKind::device && !gone.stream_ordered_free) || kind == MemoryKind::managed;
    device_bytes_ -= counts ? gone.bytes : 0;
    return gone;
}

void Memory::free_is_issued(std::uintptr_t begin) {
    Allocation& allocation = live_.at(begin);
    allocation.stream_ordered_free = true;
    device_bytes_ -= allocation.bytes;
}

bool Memory::register_host(std::uintptr_t begin, std::size_t bytes, std::uintptr_t caller) {
    const auto before = last_at_or_before(live_, begin + bytes - 1);
    if (pinned_.contains(begin) || device_.contains(begin) || (before != live_.end() && before->second.end() > begin)) {
        return false;
    }
    live_[begin] = Allocation{begin, bytes, MemoryKind::registered, caller};
    return true;
}

const Allocation* Memory::find(std::uintptr_t address) const {
    const auto found = last_at_or_before(live_, address);
    return found != live_.end() && address < found->second.end() ? &found->second : find_device_variable(address);
}

Allocation* Memory::find(std::uintptr_t address) {
    return const_cast<Allocation*>(std::as_const(*this).find(address));
}

std::uintptr_t Memory::next_begin(std::uintptr_t address, std::uintptr_t end) const {
    const auto next = live_.upper_bound(address);
    return next == live_.end() ? end : std::min(end, next->first);
}

const Allocation* Memory::find_freed(std::uintptr_t address) const {
    const auto found = last_at_or_before(freed_, address);
    return found != freed_.end() && address < found->second.end() && find(address) == nullptr ? &found->second
                                                                                              : nullptr;
}

bool Memory::is_device(std::uintptr_t address) const {
    return device_.contains(address) || find_device_variable(address) != nullptr;
}

MemoryKind Memory::kind_of(std::uintptr_t address) const {
    if (device_.contains(address)) {
        return MemoryKind::device;
    }
    const Allocation* const found = find(address);
    return found != nullptr ? found->kind : MemoryKind::pageable;
}

}  // namespace simulator
