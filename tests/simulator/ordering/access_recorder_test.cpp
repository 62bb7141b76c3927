#include "simulator/ordering/access_recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace simulator {
namespace {

constexpr std::uintptr_t base = 0x7000'0000'0000;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(AccessRecorder, StartsEmpty) {
    const AccessRecorder recorder;
    EXPECT_TRUE(recorder.empty());
    EXPECT_TRUE(recorder.intervals().empty());
    EXPECT_EQ(recorder.bytes_read(), 0u);
    EXPECT_EQ(recorder.bytes_written(), 0u);
}

TEST(AccessRecorder, AnEmptyAccessLeavesNoTrace) {
    AccessRecorder recorder;
    recorder.record(base + 64, 4, Access::read, 1);
    recorder.record(base + 128, 0, Access::read, 1);
    EXPECT_EQ(recorder.intervals(), (std::vector<AccessInterval>{{base + 64, base + 68, Access::read, 1}}));
}

TEST(AccessRecorder, AKernelOverSixteenMebibytesGivesTwoIntervals) {
    AccessRecorder recorder;
    const std::uintptr_t input = base;
    const std::uintptr_t output = base + 64 * mebibyte;
    for (std::size_t offset = 0; offset < 16 * mebibyte; offset += 4) {
        recorder.record(input + offset, 4, Access::read, 10);
        recorder.record(output + offset, 4, Access::write, 20);
    }
    EXPECT_EQ(recorder.intervals(), (std::vector<AccessInterval>{{input, input + 16 * mebibyte, Access::read, 10},
                                                                 {output, output + 16 * mebibyte, Access::write, 20}}));
    EXPECT_EQ(recorder.bytes_read(), 16 * mebibyte);
    EXPECT_EQ(recorder.bytes_written(), 16 * mebibyte);
    EXPECT_EQ(recorder.accessed_bytes(), 32 * mebibyte);
}

TEST(AccessRecorder, AnInPlaceKernelWritesOnly) {
    AccessRecorder recorder;
    recorder.record(base, 4, Access::read, 1);
    recorder.record(base, 4, Access::write, 2);
    recorder.record(base + 4, 4, Access::atomic, 3);
    recorder.record(base + 4, 4, Access::write, 4);
    EXPECT_EQ(recorder.intervals(), (std::vector<AccessInterval>{{base, base + 8, Access::write, 2}}));
    EXPECT_EQ(recorder.bytes_read(), 4u) << "read traffic still counts";
}

TEST(AccessRecorder, KnowsWhatWasReadBeforeItWasWritten) {
    AccessRecorder recorder;
    recorder.record(base, 4, Access::read, 1);
    recorder.record(base, 8, Access::write, 2);
    recorder.record(base + 4, 8, Access::read, 3);
    recorder.record(base + 64, 4, Access::write, 4);
    recorder.record(base + 64, 4, Access::read, 5);
    recorder.record(base + 64, 4, Access::write, 6);
    recorder.record(base + 130, 40, Access::read, 7);
    recorder.record(base + 130, 40, Access::write, 8);
    recorder.record(base + 256, 4, Access::atomic, 9);
    EXPECT_EQ(recorder.first_reads().values,
              (std::vector<AccessInterval>{{base, base + 4, Access::read, 1},
                                           {base + 8, base + 12, Access::read, 1},
                                           {base + 130, base + 170, Access::read, 7},
                                           {base + 256, base + 260, Access::atomic, 9}}));
    EXPECT_TRUE(recorder.first_reads().wholes.empty());
    recorder.clear();
    recorder.record(base, 4, Access::write, 1);
    recorder.record(base, 4, Access::read, 1);
    EXPECT_TRUE(recorder.first_reads().values.empty());
}

TEST(AccessRecorder, AnAtomicThatSetsReadsNothing) {
    AccessRecorder recorder;
    for (int round = 0; round < 2; ++round) {
        recorder.note_set(base, 4);
        recorder.record(base, 4, Access::atomic, 1);
        recorder.record(base, 8, Access::read, 2);
        recorder.note_set(base + 4, 4);  // too late
        recorder.record(base + 4, 4, Access::atomic, 3);
        EXPECT_EQ(recorder.first_reads().values,
                  (std::vector<AccessInterval>{{base + 4, base + 8, Access::read, 2},
                                               {base + 4, base + 8, Access::atomic, 1}}));
        recorder.clear();
    }
    recorder.record(base, 4, Access::read, 4);
    EXPECT_EQ(recorder.first_reads().values, (std::vector<AccessInterval>{{base, base + 4, Access::read, 4}}))
        << "nothing is left of what was noted before";
}

TEST(AccessRecorder, KnowsWhatWasReadAsOne) {
    AccessRecorder recorder;
    const auto read_whole = [&recorder](std::uintptr_t address, std::size_t bytes) {
        recorder.record(address, bytes, Access::read, 1);
        recorder.note_whole_read(address, bytes);
    };
    for (int round = 0; round < 2; ++round) {
        read_whole(base, 24);
        read_whole(base + 24, 24);
        read_whole(base + recorder_page_bytes - 20, 100);
        recorder.record(base + 200, 24, Access::write, 2);  // the whole was set by itself
        read_whole(base + 200, 24);
        recorder.record(base + 300, 1, Access::write, 3);  // and of this one a part
        read_whole(base + 300, 24);
        recorder.record(base + 400, 4, Access::read, 4);
        const AccessRecorder::FirstReads reads = recorder.first_reads();
        EXPECT_EQ(reads.values, (std::vector<AccessInterval>{{base + 400, base + 404, Access::read, 4}}));
        EXPECT_EQ(reads.wholes,
                  (std::vector<AccessInterval>{
                      {base, base + 24, Access::read, 1},
                      {base + 24, base + 48, Access::read, 1},
                      {base + recorder_page_bytes - 20, base + recorder_page_bytes + 80, Access::read, 1}}));
        recorder.clear();
    }
    recorder.record(base, 48, Access::read, 5);
    EXPECT_TRUE(recorder.first_reads().wholes.empty()) << "nothing is left of what was noted before";
}

TEST(AccessRecorder, KnowsTheLineOfAnAccessWithinAnInterval) {
    AccessRecorder recorder;
    recorder.record(base, 1024, Access::read, 1);
    recorder.record(base + 1024, 1024, Access::read, 2);
    EXPECT_EQ(recorder.intervals().size(), 1u);
    EXPECT_EQ(recorder.pc_of(base + 512, base + 1024, Access::read), 1u);
    EXPECT_EQ(recorder.pc_of(base + 1024, base + 2048, Access::read), 2u);
    EXPECT_EQ(recorder.pc_of(base + 1020, base + 2048, Access::read), 2u) << "most of it";
}

TEST(AccessRecorder, AnAtomicThatIsAlsoReadIsBoth) {
    AccessRecorder recorder;
    recorder.record(base, 4, Access::atomic, 1);
    recorder.record(base, 8, Access::read, 2);
    EXPECT_EQ(recorder.intervals(),
              (std::vector<AccessInterval>{{base, base + 8, Access::read, 2}, {base, base + 4, Access::atomic, 1}}));
}

TEST(AccessRecorder, ClearForgetsEverything) {
    AccessRecorder recorder;
    recorder.record(base, 10'000, Access::write, 1);
    recorder.clear();
    EXPECT_TRUE(recorder.empty());
    EXPECT_TRUE(recorder.intervals().empty());
    recorder.record(base + 8, 4, Access::write, 2);
    EXPECT_EQ(recorder.intervals(), (std::vector<AccessInterval>{{base + 8, base + 12, Access::write, 2}}));
}

TEST(AccessRecorder, ForgetsMoreMemoryThanItKeepsNotesFor) {
    AccessRecorder recorder;
    const auto record_everywhere = [&recorder](std::uintptr_t offset, std::uintptr_t pc) {
        for (std::size_t part = 0; part < 1000; ++part) {
            recorder.record(base + part * 3 * mebibyte + offset, 4, Access::write, pc);
        }
    };
    record_everywhere(0, 1);
    recorder.clear();
    EXPECT_TRUE(recorder.intervals().empty());
    record_everywhere(8, 2);
    const std::vector<AccessInterval> found = recorder.intervals();
    ASSERT_EQ(found.size(), 1000u);
    for (std::size_t part = 0; part < found.size(); ++part) {
        const std::uintptr_t at = base + part * 3 * mebibyte + 8;
        EXPECT_EQ(found[part], (AccessInterval{at, at + 4, Access::write, 2}));
    }
}

TEST(AccessRecorder, TellsOfEachAccessOfWatchedMemory) {
    AccessRecorder recorder;
    unsigned told = 0;
    recorder.record(base + 100, 4, Access::read, 1);
    recorder.watch({{base + 100, base + 200}}, [&told](std::uintptr_t) { ++told; });
    const auto told_by = [&](std::uintptr_t address, std::size_t bytes) {
        const unsigned before = told;
        recorder.record(address, bytes, Access::read, 1);
        return told - before;
    };
    for (unsigned time = 0; time < 3; ++time) {
        EXPECT_EQ(told_by(base + 100, 4), 1u);
        EXPECT_EQ(told_by(base + 196, 100), 1u);
        EXPECT_EQ(told_by(base + 96, 4), 0u);
        EXPECT_EQ(told_by(base + 200, 4), 0u);
        EXPECT_EQ(told_by(base + 64 * mebibyte, 4), 0u);
    }
    recorder.clear();
    EXPECT_EQ(told_by(base + 100, 4), 1u);
    recorder.watch({}, {});
    EXPECT_EQ(told_by(base + 100, 4), 0u);
    EXPECT_EQ(recorder.intervals(), (std::vector<AccessInterval>{{base + 100, base + 104, Access::read, 1}}));
}

// What an AccessRecorder must know, byte by byte.
class ByteMap {
public:
    void record(std::uintptr_t address, std::size_t bytes, Access kind, std::uintptr_t pc) {
        for (std::uintptr_t byte = address; byte < address + bytes; ++byte) {
            bytes_[byte][static_cast<std::size_t>(kind)] = true;
            first_pc_.emplace(std::pair(byte / 64, kind), pc);
        }
    }

    bool reported(std::uintptr_t byte, Access kind) const {
        const auto known = bytes_.find(byte);
        if (known == bytes_.end()) {
            return false;
        }
        const bool written = known->second[static_cast<std::size_t>(Access::write)];
        return kind == Access::write ? written : !written && known->second[static_cast<std::size_t>(kind)];
    }

    std::size_t count(Access kind) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(bytes_, [&](const auto& byte) { return reported(byte.first, kind); }));
    }

    std::size_t touched(std::initializer_list<Access> of) const {
        return static_cast<std::size_t>(std::ranges::count_if(bytes_, [&](const auto& byte) {
            return std::ranges::any_of(of, [&](Access kind) { return byte.second[static_cast<std::size_t>(kind)]; });
        }));
    }

    std::uintptr_t first_pc(std::uintptr_t byte, Access kind) const { return first_pc_.at({byte / 64, kind}); }

private:
    std::map<std::uintptr_t, std::array<bool, 3>> bytes_;
    std::map<std::pair<std::uintptr_t, Access>, std::uintptr_t> first_pc_;
};

TEST(AccessRecorder, AgreesWithAMapOfBytes) {
    AccessRecorder recorder;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&random](std::size_t limit) { return random() % limit; };
        recorder.clear();
        ByteMap expected;
        std::uint64_t accessed = 0;
        for (std::size_t step = 0; step < 150; ++step) {
            const std::uintptr_t address = base - 3000 + below(3) * 4096 * 37 + below(4500);
            const std::size_t bytes = below(20) == 0 ? below(6'000) : below(200);
            const auto kind = static_cast<Access>(below(3));
            recorder.record(address, bytes, kind, step + 1);
            expected.record(address, bytes, kind, step + 1);
            accessed += bytes;
        }
        std::array<std::size_t, 3> counted{};
        std::array<std::uintptr_t, 3> last_end{};
        std::uintptr_t last_begin = 0;
        recorder.for_each([&](std::uintptr_t begin, std::uintptr_t end, Access kind, std::uintptr_t pc) {
            const auto index = static_cast<std::size_t>(kind);
            ASSERT_LT(begin, end);
            EXPECT_LE(last_begin, begin);
            EXPECT_LT(last_end[index], begin) << "neighbours of one kind must be one interval";
            last_begin = begin;
            last_end[index] = end;
            EXPECT_EQ(pc, expected.first_pc(begin, kind));
            for (std::uintptr_t byte = begin; byte < end; ++byte) {
                ASSERT_TRUE(expected.reported(byte, kind));
            }
            counted[index] += end - begin;
        });
        for (const Access kind : {Access::read, Access::write, Access::atomic}) {
            EXPECT_EQ(counted[static_cast<std::size_t>(kind)], expected.count(kind)) << "seed " << seed;
        }
        EXPECT_EQ(recorder.bytes_read(), expected.touched({Access::read}));
        EXPECT_EQ(recorder.bytes_written(), expected.touched({Access::write, Access::atomic}));
        EXPECT_EQ(recorder.accessed_bytes(), accessed);
    }
}

// Page-aligned memory filled with numbers, written only through the recorder.
class RecordedMemory {
public:
    explicit RecordedMemory(std::size_t pages)
        : bytes_(pages * recorder_page_bytes),
          memory_(static_cast<std::byte*>(std::aligned_alloc(recorder_page_bytes, bytes_))) {
        for (std::size_t byte = 0; byte < bytes_; ++byte) {
            memory_[byte] = static_cast<std::byte>(byte * 7);
        }
    }
    ~RecordedMemory() { std::free(memory_); }
    RecordedMemory(const RecordedMemory&) = delete;
    RecordedMemory& operator=(const RecordedMemory&) = delete;

    void write(AccessRecorder& recorder, std::size_t offset, std::size_t bytes, Access kind, std::byte value) {
        recorder.record(address(offset), bytes, kind, 1);
        std::memset(memory_ + offset, std::to_integer<int>(value), bytes);
    }

    std::uintptr_t address(std::size_t offset) const { return reinterpret_cast<std::uintptr_t>(memory_ + offset); }
    std::vector<std::byte> content() const { return {memory_, memory_ + bytes_}; }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    std::byte* memory_;
};

TEST(DeferredWrites, AtomicsStayWhilePlainWritesWait) {
    RecordedMemory memory(2);
    const std::vector<std::byte> old = memory.content();
    AccessRecorder recorder;
    recorder.save_pages(true);
    memory.write(recorder, 100, 8, Access::atomic, std::byte{1});
    memory.write(recorder, 4090, 12, Access::write, std::byte{2});
    DeferredWrites writes = recorder.take_back_writes();

    std::vector<std::byte> expected = old;
    std::fill_n(expected.begin() + 100, 8, std::byte{1});
    EXPECT_EQ(memory.content(), expected);
    EXPECT_EQ(writes.bytes(), 12u);

    writes.poison(std::byte{0xdb});
    std::fill_n(expected.begin() + 4090, 12, std::byte{0xdb});
    EXPECT_EQ(memory.content(), expected);

    recorder.clear();
    writes.apply();
    std::fill_n(expected.begin() + 4090, 12, std::byte{2});
    EXPECT_EQ(memory.content(), expected);
    EXPECT_TRUE(writes.empty());
}

TEST(DeferredWrites, WorkWithoutRecordedWrites) {
    AccessRecorder recorder;
    recorder.save_pages(true);
    DeferredWrites writes = recorder.take_back_writes();
    EXPECT_TRUE(writes.empty());
    writes.apply();
    DeferredWrites().apply();
}

TEST(DeferredWrites, NeedSavedPages) {
    RecordedMemory memory(1);
    AccessRecorder recorder;
    memory.write(recorder, 0, 4, Access::write, std::byte{1});
    EXPECT_THROW(recorder.take_back_writes(), std::logic_error);
}

TEST(DeferredWrites, ForgetLeavesThoseBytesAlone) {
    RecordedMemory memory(3);
    AccessRecorder recorder;
    recorder.save_pages(true);
    std::vector<std::byte> expected = memory.content();
    memory.write(recorder, 0, memory.bytes(), Access::write, std::byte{5});
    DeferredWrites writes = recorder.take_back_writes();
    writes.forget(memory.address(1000), memory.address(9000));
    writes.forget(memory.address(10), memory.address(20));
    writes.apply();
    std::fill(expected.begin(), expected.begin() + 10, std::byte{5});
    std::fill(expected.begin() + 20, expected.begin() + 1000, std::byte{5});
    std::fill(expected.begin() + 9000, expected.end(), std::byte{5});
    EXPECT_EQ(memory.content(), expected);
}

TEST(DeferredWrites, RandomWritesGoAndComeBack) {
    RecordedMemory memory(8);
    AccessRecorder recorder;
    recorder.save_pages(true);
    for (unsigned seed = 1; seed <= 60; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&random](std::size_t limit) { return random() % limit; };
        const std::vector<std::byte> old = memory.content();
        std::vector<bool> plain(memory.bytes());
        for (std::size_t step = 0; step < 100; ++step) {
            const std::size_t offset = below(memory.bytes());
            const std::size_t wanted = below(10) == 0 ? below(3 * recorder_page_bytes) : below(100);
            const std::size_t bytes = std::min(wanted, memory.bytes() - offset);
            const Access kind = below(4) == 0 ? Access::atomic : Access::write;
            memory.write(recorder, offset, bytes, kind, static_cast<std::byte>(below(256)));
            if (kind == Access::write) {
                std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(offset), bytes, true);
            }
        }
        const std::vector<std::byte> fresh = memory.content();
        DeferredWrites writes = recorder.take_back_writes();
        const std::vector<std::byte> between = memory.content();
        for (std::size_t byte = 0; byte < memory.bytes(); ++byte) {
            ASSERT_EQ(between[byte], plain[byte] ? old[byte] : fresh[byte]) << "seed " << seed << ", byte " << byte;
        }
        recorder.clear();
        writes.poison(std::byte{0});
        writes.apply();
        EXPECT_EQ(memory.content(), fresh) << "seed " << seed;
    }
}

}  // namespace
}  // namespace simulator
