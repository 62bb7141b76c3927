#include "simulator/ordering/shadow_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace simulator {
namespace {

// Agents whose accesses go to one shadow memory.
class Agents {
public:
    explicit Agents(std::size_t count) : clocks_(count) {}

    // One access by a new operation of `agent`.
    std::vector<Conflict> access(std::uint32_t agent, std::uintptr_t begin, std::uintptr_t end, Access kind) {
        return access_as(next_owner(agent), begin, end, kind);
    }

    AccessOwner next_owner(std::uint32_t agent) {
        ++operation_;
        return {clocks_[agent].advance(agent), operation_, 1000 + operation_};
    }

    std::vector<Conflict> access_as(const AccessOwner& owner, std::uintptr_t begin, std::uintptr_t end, Access kind) {
        std::vector<Conflict> conflicts;
        memory.access(begin, end, kind, owner, clocks_[owner.epoch.agent], conflicts);
        return conflicts;
    }

    // What `agent` does next comes after everything that `before` did so far.
    void wait(std::uint32_t agent, std::uint32_t before) { clocks_[agent].join(clocks_[before]); }

    const VectorClock& clock(std::uint32_t agent) const { return clocks_[agent]; }

    ShadowMemory memory;

private:
    std::vector<VectorClock> clocks_;
    std::uint64_t operation_ = 0;
};

TEST(ShadowMemory, AnUnorderedWriteAfterAWriteConflicts) {
    Agents agents(3);
    EXPECT_TRUE(agents.access(1, 100, 200, Access::write).empty());
    const std::vector<Conflict> conflicts = agents.access(2, 150, 300, Access::write);
    ASSERT_EQ(conflicts.size(), 1u);
    EXPECT_EQ(conflicts[0].begin, 150u);
    EXPECT_EQ(conflicts[0].end, 200u);
    EXPECT_EQ(conflicts[0].earlier, (AccessOwner{{1, 1}, 1, 1001}));
    EXPECT_EQ(conflicts[0].later, (AccessOwner{{2, 1}, 2, 1002}));
    EXPECT_EQ(conflicts[0].earlier_kind, Access::write);
    EXPECT_EQ(conflicts[0].later_kind, Access::write);
}

TEST(ShadowMemory, OrderRemovesTheConflict) {
    Agents agents(3);
    agents.access(1, 100, 200, Access::write);
    agents.wait(2, 1);
    EXPECT_TRUE(agents.access(2, 100, 200, Access::write).empty());
    EXPECT_EQ(agents.access(1, 100, 200, Access::read).size(), 1u) << "waiting orders one way only";
}

TEST(ShadowMemory, ChunksOfOneAllocationAreJudgedByBytes) {
    Agents agents(3);
    agents.access(1, 0, 4096, Access::write);
    EXPECT_TRUE(agents.access(2, 4096, 8192, Access::write).empty());
}

TEST(ShadowMemory, ReadsDoNotConflictWithReadsNorAtomicsWithAtomics) {
    Agents agents(4);
    agents.access(1, 0, 8, Access::read);
    EXPECT_TRUE(agents.access(2, 0, 8, Access::read).empty());
    EXPECT_EQ(agents.access(3, 0, 8, Access::write).size(), 2u);

    agents.access(1, 16, 24, Access::atomic);
    EXPECT_TRUE(agents.access(2, 16, 24, Access::atomic).empty());
    EXPECT_EQ(agents.access(3, 16, 24, Access::read).size(), 2u);
}

TEST(ShadowMemory, AnAtomicDoesNotHideTheWriteBeforeIt) {
    Agents agents(4);
    agents.access(1, 0, 8, Access::write);
    agents.wait(2, 1);
    EXPECT_TRUE(agents.access(2, 0, 8, Access::atomic).empty());
    const std::vector<Conflict> conflicts = agents.access(3, 0, 8, Access::atomic);
    ASSERT_EQ(conflicts.size(), 1u);
    EXPECT_EQ(conflicts[0].earlier_kind, Access::write);
}

TEST(ShadowMemory, OneOperationDoesNotConflictWithItself) {
    Agents agents(2);
    const AccessOwner owner = agents.next_owner(1);
    EXPECT_TRUE(agents.access_as(owner, 0, 100, Access::read).empty());
    EXPECT_TRUE(agents.access_as(owner, 50, 100, Access::write).empty());
    EXPECT_TRUE(agents.access_as(owner, 0, 100, Access::atomic).empty());
}

TEST(ShadowMemory, AdjacentBytesOfOnePairAreOneConflict) {
    Agents agents(5);
    const AccessOwner owner = agents.next_owner(1);
    agents.access_as(owner, 0, 100, Access::write);
    agents.access(2, 40, 60, Access::read);  // splits the segment; a conflict of its own
    const std::vector<Conflict> conflicts = agents.access(3, 0, 100, Access::write);
    ASSERT_EQ(conflicts.size(), 2u);
    EXPECT_EQ(conflicts[0].earlier, owner);
    EXPECT_EQ(conflicts[0].begin, 0u);
    EXPECT_EQ(conflicts[0].end, 100u);
    EXPECT_EQ(conflicts[1].begin, 40u);
    EXPECT_EQ(conflicts[1].end, 60u);
}

TEST(ShadowMemory, ForgetsWhatIsFreed) {
    Agents agents(3);
    agents.access(1, 0, 100, Access::write);
    agents.memory.forget(30, 60);
    EXPECT_EQ(agents.memory.segments(), 2u);
    EXPECT_TRUE(agents.access(2, 30, 60, Access::write).empty());
    EXPECT_EQ(agents.access(2, 0, 30, Access::write).size(), 1u);
    EXPECT_EQ(agents.access(2, 60, 100, Access::write).size(), 1u);
}

TEST(ShadowMemory, KnowsWhoWroteLast) {
    Agents agents(3);
    const AccessOwner first = agents.next_owner(1);
    agents.access_as(first, 0, 100, Access::write);
    const AccessOwner second = agents.next_owner(2);
    agents.access_as(second, 40, 60, Access::write);
    agents.access_as(agents.next_owner(1), 0, 100, Access::read);
    EXPECT_EQ(agents.memory.last_writers(0, 100), (std::vector{first, second}));
    EXPECT_EQ(agents.memory.last_writers(10, 40), std::vector{first});
    EXPECT_EQ(agents.memory.last_writers(50, 200), (std::vector{second, first}));
    EXPECT_TRUE(agents.memory.last_writers(100, 200).empty());
}

TEST(ShadowMemory, ForgetInEmptyMemoryChangesNothing) {
    ShadowMemory memory;
    memory.forget(0, 100);
    EXPECT_EQ(memory.segments(), 0u);
}

TEST(ShadowMemory, EqualNeighboursMelt) {
    Agents agents(2);
    const AccessOwner owner = agents.next_owner(1);
    for (std::uintptr_t begin = 0; begin < 1000; begin += 20) {
        agents.access_as(owner, begin, begin + 10, Access::write);
        agents.access_as(owner, begin + 10, begin + 20, Access::write);
    }
    EXPECT_EQ(agents.memory.segments(), 1u);
    for (std::uintptr_t begin = 0; begin < 1000; begin += 10) {
        agents.access_as(owner, begin, begin + 10, Access::read);
    }
    EXPECT_EQ(agents.memory.segments(), 1u);
}

TEST(ShadowMemory, StaysSmallWhenChunksAreUsedAgainAndAgain) {
    constexpr std::uintptr_t chunk = 1 << 20;
    constexpr std::uint32_t streams = 4;
    Agents agents(streams + 1);
    std::size_t conflicts = 0;
    for (std::uintptr_t round = 0; round < 25'000; ++round) {
        for (std::uint32_t stream = 1; stream <= streams; ++stream) {
            const std::uintptr_t begin = stream * chunk;
            conflicts += agents.access(stream, begin, begin + chunk, Access::write).size();
            conflicts += agents.access(stream, begin + 16 * (round % 1000), begin + chunk, Access::read).size();
            conflicts += agents.access(stream, begin, begin + chunk, Access::read).size();
        }
        ASSERT_LE(agents.memory.segments(), streams);
    }
    EXPECT_EQ(conflicts, 0u);
}

// Every access of every byte since the last plain write and including it: nothing is summed up.
class ByteHistory {
public:
    struct Entry {
        AccessOwner owner;
        Access kind;
    };

    static bool conflict(const Entry& earlier, Access kind, const VectorClock& clock) {
        const bool harmless = earlier.kind == kind && kind != Access::write;
        return !harmless && !clock.covers(earlier.owner.epoch);
    }

    const std::vector<Entry>& at(std::uintptr_t byte) { return bytes_[byte]; }

    void add(std::uintptr_t byte, const AccessOwner& owner, Access kind) {
        if (kind == Access::write) {
            bytes_[byte].clear();
        }
        bytes_[byte].push_back({owner, kind});
    }

    void forget(std::uintptr_t byte) { bytes_.erase(byte); }

private:
    std::map<std::uintptr_t, std::vector<Entry>> bytes_;
};

void compare_with_history(unsigned seed, std::uint32_t agent_count, std::size_t steps, unsigned wait_percent) {
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    Agents agents(agent_count);
    ByteHistory history;
    for (std::size_t step = 0; step < steps; ++step) {
        const std::uint32_t agent = below(agent_count);
        while (below(100) < wait_percent) {
            agents.wait(agent, below(agent_count));
        }
        const std::uintptr_t begin = below(64);
        const std::uintptr_t end = begin + below(24);
        if (below(40) == 0) {
            agents.memory.forget(begin, end);
            for (std::uintptr_t byte = begin; byte < end; ++byte) {
                history.forget(byte);
            }
            continue;
        }
        const auto kind = static_cast<Access>(below(3));
        const AccessOwner owner = agents.next_owner(agent);
        const std::vector<Conflict> found = agents.access_as(owner, begin, end, kind);

        std::set<std::uintptr_t> bytes_found;
        for (const Conflict& conflict : found) {
            ASSERT_EQ(conflict.later, owner);
            ASSERT_EQ(conflict.later_kind, kind);
            ASSERT_LT(conflict.begin, conflict.end);
            for (std::uintptr_t byte = conflict.begin; byte < conflict.end; ++byte) {
                bytes_found.insert(byte);
                const auto& entries = history.at(byte);
                const bool known = std::ranges::any_of(entries, [&](const ByteHistory::Entry& entry) {
                    return entry.owner == conflict.earlier && entry.kind == conflict.earlier_kind &&
                           ByteHistory::conflict(entry, kind, agents.clock(agent));
                });
                ASSERT_TRUE(known) << "seed " << seed << ", step " << step << ", byte " << byte;
            }
            for (const Conflict& other : found) {
                const bool continues = other.begin == conflict.end && other.earlier == conflict.earlier &&
                                       other.earlier_kind == conflict.earlier_kind;
                ASSERT_FALSE(continues) << "two conflicts where one would do";
            }
        }
        std::set<std::uintptr_t> bytes_expected;
        for (std::uintptr_t byte = begin; byte < end; ++byte) {
            const bool conflicts = std::ranges::any_of(history.at(byte), [&](const ByteHistory::Entry& entry) {
                return ByteHistory::conflict(entry, kind, agents.clock(agent));
            });
            if (conflicts) {
                bytes_expected.insert(byte);
            }
            history.add(byte, owner, kind);
        }
        ASSERT_EQ(bytes_found, bytes_expected) << "seed " << seed << ", step " << step;
    }
}

TEST(ShadowMemory, AgreesWithTheFullHistoryOfEveryByte) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        compare_with_history(seed, 5, 3000, 70);
    }
}

TEST(ShadowMemory, AgreesWithTheFullHistoryWhenLittleIsOrdered) {
    for (unsigned seed = 101; seed <= 110; ++seed) {
        compare_with_history(seed, 8, 3000, 30);
    }
}

}  // namespace
}  // namespace simulator
