// Whether the host processor's cache still holds pageable data when a copy takes them: what was copied since they were
// there, and what is copied now, must fit together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace simulator {

class HostCache {
public:
    explicit HostCache(std::uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

    // Notes a copy from or to pageable memory at `begin`, and says whether the cache holds all of it.
    bool holds(std::uintptr_t begin, std::size_t bytes) {
        const std::uint64_t since = copied_bytes_ - last_there(begin, bytes);
        copied_bytes_ += bytes;
        copied_when_[begin] = copied_bytes_;
        return since + bytes <= capacity_bytes_;
    }

private:
    // As copied_bytes_ was. What is copied for the first time was written just before; but a chunk that goes on where
    // another one ended was written together with it.
    std::uint64_t last_there(std::uintptr_t begin, std::size_t bytes) {
        if (const auto again = copied_when_.find(begin); again != copied_when_.end()) {
            return again->second;
        }
        const auto before = written_when_.find(begin);
        const std::uint64_t written = before == written_when_.end() ? copied_bytes_ : before->second;
        written_when_[begin + bytes] = written;
        return written;
    }

    std::uint64_t capacity_bytes_;
    std::uint64_t copied_bytes_ = 0;
    std::unordered_map<std::uintptr_t, std::uint64_t> copied_when_;   // by where a copy began: copied_bytes_ after it
    std::unordered_map<std::uintptr_t, std::uint64_t> written_when_;  // by where a copy ended
};

}  // namespace simulator
