#include "simulator/poisoned_destinations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <numeric>
#include <random>
#include <vector>

#include "simulator/memory.hpp"

namespace simulator {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes counted(std::size_t bytes) {
    Bytes result(bytes);
    std::iota(result.begin(), result.end(), static_cast<unsigned char>(1));
    return result;
}

std::uintptr_t address_of(const Bytes& bytes, std::size_t offset = 0) {
    return reinterpret_cast<std::uintptr_t>(bytes.data() + offset);
}

TEST(PoisonedDestinations, get_back_what_was_there) {
    Bytes memory = counted(64);
    PoisonedDestinations destinations;
    destinations.poison(Rows(memory.data() + 8, 16));
    EXPECT_EQ(std::count(memory.begin(), memory.end(), poison_byte), 16);
    EXPECT_EQ(destinations.hull(), std::pair(address_of(memory, 8), address_of(memory, 24)));
    destinations.restore(address_of(memory), address_of(memory, 8));  // beside it
    destinations.restore(address_of(memory, 24), address_of(memory, 64));
    EXPECT_FALSE(destinations.empty());
    destinations.restore(address_of(memory, 23), address_of(memory, 24));
    EXPECT_EQ(memory, counted(64));
    EXPECT_TRUE(destinations.empty());
}

TEST(PoisonedDestinations, of_rows_leave_the_gaps_alone) {
    Bytes memory = counted(64);
    PoisonedDestinations destinations;
    destinations.poison(Rows(memory.data(), 16, 4, 3));
    EXPECT_EQ(std::count(memory.begin(), memory.end(), poison_byte), 12);
    memory[5] = 200;
    destinations.restore(address_of(memory, 33), address_of(memory, 34));
    Bytes expected = counted(64);
    expected[5] = 200;
    EXPECT_EQ(memory, expected);
}

TEST(PoisonedDestinations, that_are_forgotten_stay_as_they_are) {
    Bytes memory = counted(64);
    PoisonedDestinations destinations;
    const Rows rows(memory.data(), 16);
    const std::uint64_t first = destinations.poison(rows);
    const std::uint64_t second = destinations.poison(rows);
    EXPECT_LT(first, second);
    destinations.forget(rows, first);
    destinations.forget(rows, first);  // once more does nothing
    EXPECT_FALSE(destinations.empty());
    destinations.restore(address_of(memory), address_of(memory, 1));  // to the poison of the first
    EXPECT_EQ(std::count(memory.begin(), memory.end(), poison_byte), 16);
    EXPECT_TRUE(destinations.empty());
}

// Against a plain list that is looked through from its end.
TEST(PoisonedDestinations, are_the_same_as_in_a_list) {
    struct Poisoned {
        std::uint64_t number;
        std::size_t begin;
        Bytes before;
    };
    constexpr std::size_t size = 96;
    std::mt19937 random(11);
    Bytes memory = counted(size);
    Bytes expected = memory;
    PoisonedDestinations destinations;
    std::list<Poisoned> list;
    for (int step = 0; step < 20'000; ++step) {
        const std::size_t begin = random() % size;
        const std::size_t bytes =
            1 + random() % (random() % 4 == 0 ? size - begin : std::min<std::size_t>(size - begin, 6));
        switch (random() % 4) {
            case 0:
                destinations.restore(address_of(memory, begin), address_of(memory, begin + bytes));
                for (auto at = list.end(); at != list.begin();) {
                    --at;
                    if (at->begin < begin + bytes && begin < at->begin + at->before.size()) {
                        std::ranges::copy(at->before, expected.begin() + static_cast<std::ptrdiff_t>(at->begin));
                        at = list.erase(at);
                    }
                }
                break;
            case 1:
                if (!list.empty()) {
                    const Poisoned& chosen =
                        *std::next(list.begin(), static_cast<std::ptrdiff_t>(random() % list.size()));
                    destinations.forget(Rows(memory.data() + chosen.begin, chosen.before.size()), chosen.number);
                    std::erase_if(list, [number = chosen.number](const Poisoned& p) { return p.number == number; });
                }
                break;
            default: {
                const std::uint64_t number = destinations.poison(Rows(memory.data() + begin, bytes));
                const auto first = expected.begin() + static_cast<std::ptrdiff_t>(begin);
                const auto last = first + static_cast<std::ptrdiff_t>(bytes);
                list.push_back({number, begin, Bytes(first, last)});
                std::fill(first, last, poison_byte);
                break;
            }
        }
        ASSERT_EQ(memory, expected) << "at step " << step;
        ASSERT_EQ(destinations.empty(), list.empty());
        memory[begin] = expected[begin] = static_cast<unsigned char>(random());
    }
}

}  // namespace
}  // namespace simulator
