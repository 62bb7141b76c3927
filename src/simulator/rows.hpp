// The bytes of a copy or a memset: rows of equal width, a pitch apart. Plain ones are a single row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/ordering/access_recorder.hpp"

namespace simulator {

class Rows {
public:
    Rows() = default;
    Rows(const void* begin, std::size_t bytes) : Rows(begin, bytes, bytes, 1) {}

    // `height` rows of `width` bytes that begin `pitch` >= `width` bytes apart. Rows without a gap are taken as one.
    Rows(const void* begin, std::size_t pitch, std::size_t width, std::size_t height)
        : begin_(reinterpret_cast<std::uintptr_t>(begin)), width_(width), pitch_(pitch), height_(height) {
        if (pitch == width) {
            width_ = pitch_ = width * height;
            height_ = 1;
        }
    }

    std::uintptr_t begin() const { return begin_; }
    std::uintptr_t end() const { return begin_ + span(); }
    std::size_t bytes() const { return width_ * height_; }
    std::size_t span() const { return bytes() == 0 ? 0 : (height_ - 1) * pitch_ + width_; }  // gaps included

    // Calls function(begin, bytes) for each row.
    template <class Function>
    void for_each(Function&& function) const {
        for (std::size_t row = 0; row < height_; ++row) {
            function(reinterpret_cast<unsigned char*>(begin_ + row * pitch_), width_);
        }
    }

    std::vector<AccessInterval> accesses(Access kind, std::uintptr_t pc = 0) const {
        std::vector<AccessInterval> intervals;
        intervals.reserve(height_);
        for_each([&](unsigned char* row, std::size_t bytes) {
            const auto begin = reinterpret_cast<std::uintptr_t>(row);
            intervals.push_back({begin, begin + bytes, kind, pc});
        });
        return intervals;
    }

private:
    std::uintptr_t begin_ = 0;
    std::size_t width_ = 0;
    std::size_t pitch_ = 0;
    std::size_t height_ = 0;
};

}  // namespace simulator
