// The simulated device's memory, and the memory that it shares with the host (pinned or managed): two reserved stretches of addresses, and what is
// allocated in them. Device memory is ordinary host memory that only kernels and copies may touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace simulator {

enum class MemoryKind { pageable, pinned, registered, managed, device };

struct Allocation {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    std::uintptr_t allocated_at = 0;  // return address of the call
    std::uintptr_t freed_at = 0;      // 0 while it lives
    bool stream_ordered_free = false;  // cudaFreeAsync was called, and comes into effect in its stream
    unsigned flags = 0;                // of pinned memory, as the call was given them
    bool on_device = false;            // managed memory: where it was prefetched to
    std::uintptr_t end() const { return begin + bytes; }
};

// Filled into memory that holds nothing yet, so that a missing wait gives a wrong answer every time.
inline constexpr unsigned char poison_byte = 0xA5;

// A stretch of reserved addresses from which page-aligned blocks are handed out, lowest free address first.
class Arena {
public:
    explicit Arena(std::size_t bytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // The first byte of a new block, or 0 when no free stretch is large enough.
    std::uintptr_t take(std::size_t bytes);
    void give_back(std::uintptr_t begin, std::size_t bytes);
    bool contains(std::uintptr_t address) const { return address - begin_ < bytes_; }
    std::uintptr_t begin() const { return begin_; }
    std::uintptr_t end() const { return begin_ + bytes_; }

private:
    std::uintptr_t begin_ = 0;
    std::size_t bytes_ = 0;
    std::map<std::uintptr_t, std::size_t> free_;  // begin -> bytes
};

class Memory {
public:
    Memory();

    // New memory of `kind` (device or pinned), filled with poison; nothing when it is exhausted.
    std::optional<std::uintptr_t> allocate(MemoryKind kind, std::size_t bytes, std::size_t limit_bytes,
                                           std::uintptr_t caller);

    // Takes back the live allocation of `kind` that begins at `begin`; nothing when there is none.
    std::optional<Allocation> free(MemoryKind kind, std::uintptr_t begin, std::uintptr_t caller);

    // Notes that a free of `begin` has been issued, to come into effect in its stream. It counts as free from now on.
    void free_is_issued(std::uintptr_t begin);

    // Registers ordinary memory as pinned; false when it overlaps what is pinned already.
    bool register_host(std::uintptr_t begin, std::size_t bytes, std::uintptr_t caller);

    // The live allocation, or the variable of the device, that holds `address`.
    const Allocation* find(std::uintptr_t address) const;

    // Where the first allocation behind `address` begins, or `end` if none begins before that.
    std::uintptr_t next_begin(std::uintptr_t address, std::uintptr_t end) const;

    // The freed allocation that held `address` last, if nothing lives there now.
    const Allocation* find_freed(std::uintptr_t address) const;

    Allocation* find(std::uintptr_t address);

    MemoryKind kind_of(std::uintptr_t address) const;
    bool is_device(std::uintptr_t address) const;  // allocated, or a __device__ or __constant__ variable
    std::size_t device_bytes_in_use() const { return device_bytes_; }
    const std::map<std::uintptr_t, Allocation>& live() const { return live_; }
    const Arena& device_arena() const { return device_; }
    const Arena& pinned_arena() const { return pinned_; }

private:
    Arena& arena_of(MemoryKind kind) { return kind == MemoryKind::device ? device_ : pinned_; }

    Arena device_;
    Arena pinned_;  // managed memory too: the host may touch both
    std::map<std::uintptr_t, Allocation> live_;
    std::map<std::uintptr_t, Allocation> freed_;
    std::size_t device_bytes_ = 0;
};

}  // namespace simulator
