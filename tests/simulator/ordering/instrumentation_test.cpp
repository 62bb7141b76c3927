// Runs an instrumented program on our runtime and compares what was recorded with what the program does.
#include "simulator/ordering/instrumentation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

#include "instrumented_program.hpp"
#include "simulator/ordering/symbols.hpp"

namespace simulator {
namespace {

std::uintptr_t address(const volatile void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

void expect_line(std::uintptr_t pc, std::string_view file, int line) {
    const device::SourceLine found = source_line(pc);
    EXPECT_TRUE(found.file.ends_with(file)) << "in '" << found.file << "'";
    EXPECT_EQ(found.line, line);
}

struct HostTouch {
    std::uintptr_t address = 0;
    Access kind = Access::read;
    std::uintptr_t pc = 0;
};
std::vector<HostTouch> host_touches;
bool record_host_touches = false;

bool note_host_touch(std::uintptr_t address, Access kind, std::uintptr_t pc) {
    host_touches.push_back({address, kind, pc});
    return record_host_touches;
}

// Two pages of "device memory", two of "pinned memory" and one that is not tracked unless a test says so.
class Instrumentation : public testing::Test {
protected:
    static constexpr std::size_t bytes = 2 * recorder_page_bytes;

    Instrumentation() {
        set_arenas(range(device_.data(), bytes), range(pinned_.data(), bytes));
        set_host_touches_device_memory(note_host_touch);
        host_touches.clear();
        record_host_touches = false;
    }
    ~Instrumentation() override {
        set_recorder(nullptr);
        set_arenas({}, {});
        set_host_touches_device_memory(nullptr);
    }

    static AddressRange range(const void* begin, std::size_t bytes) { return {address(begin), address(begin) + bytes}; }

    template <typename Function>
    std::vector<AccessInterval> recorded(Function&& function, Running running = Running::device_code) {
        recorder_.clear();
        set_recorder(&recorder_, running);
        function();
        set_recorder(nullptr);
        return recorder_.intervals();
    }

    void expect(const std::vector<AccessInterval>& found, std::vector<AccessInterval> expected) {
        for (std::size_t index = 0; index < std::min(found.size(), expected.size()); ++index) {
            EXPECT_NE(found[index].pc, 0u);
            expected[index].pc = found[index].pc;
        }
        EXPECT_EQ(found, expected);
    }

    template <typename Element>
    Element* device(std::size_t offset = 0) {
        return reinterpret_cast<Element*>(device_.data() + offset);
    }
    template <typename Element>
    Element* pinned(std::size_t offset = 0) {
        return reinterpret_cast<Element*>(pinned_.data() + offset);
    }

    AccessRecorder recorder_;
    alignas(recorder_page_bytes) std::array<std::byte, bytes> device_{};
    alignas(recorder_page_bytes) std::array<std::byte, bytes> pinned_{};
    alignas(recorder_page_bytes) std::array<std::byte, bytes> other_{};
};

TEST_F(Instrumentation, LoadsAndStoresAreRecordedWithTheirLines) {
    auto* const to = device<std::int32_t>(64);
    const std::vector<AccessInterval> stored = recorded([&] { program::store(to); });
    expect(stored, {{address(to), address(to) + 4, Access::write, 0}});
    EXPECT_EQ(*to, 17);
    ASSERT_EQ(stored.size(), 1u);
    expect_line(stored[0].pc, "instrumented_program.cpp", program::line_of_store);

    const std::vector<AccessInterval> loaded = recorded([&] { EXPECT_EQ(program::load(to), 17); });
    expect(loaded, {{address(to), address(to) + 4, Access::read, 0}});
    ASSERT_EQ(loaded.size(), 1u);
    EXPECT_EQ(source_line(loaded[0].pc).line, program::line_of_load);
}

TEST_F(Instrumentation, FilesAreNamedAsTheCompilerWasTold) {
    const std::vector<AccessInterval> stored =
        recorded([&] { program::store_in_renamed_file(device<std::int32_t>()); });
    ASSERT_EQ(stored.size(), 1u);
    const device::SourceLine found = source_line(stored[0].pc);
    EXPECT_EQ(found.file, "labs/03_streams/lab.cu");
    EXPECT_EQ(found.line, 42);
}

TEST_F(Instrumentation, EveryWidthIsRecorded) {
    const std::uintptr_t begin = address(device_.data());
    expect(recorded([&] { program::store_eight(device<std::uint8_t>()); }),
           {{begin, begin + 1, Access::write, 0},
            {begin + 16, begin + 18, Access::write, 0},
            {begin + 32, begin + 36, Access::write, 0},
            {begin + 48, begin + 56, Access::write, 0}});
    expect(recorded([&] { program::store_unaligned(device<std::uint8_t>()); }),
           {{begin + 1, begin + 5, Access::write, 0}});
    expect(recorded([&] { program::store_volatile(device<std::int32_t>(8)); }),
           {{begin + 8, begin + 12, Access::write, 0}});
}

TEST_F(Instrumentation, AssignedStructuresAreRecordedWhole) {
    device<program::Point>(512)->coordinates[24] = 5;
    const std::uintptr_t begin = address(device_.data());
    expect(recorded([&] { program::assign(device<program::Point>(), device<program::Point>(512)); }),
           {{begin, begin + 100, Access::write, 0}, {begin + 512, begin + 612, Access::read, 0}});
    EXPECT_EQ(device<program::Point>()->coordinates[24], 5);
}

TEST_F(Instrumentation, MemoryFunctionsAreRecordedAndDoTheirWork) {
    std::iota(pinned<std::uint8_t>(), pinned<std::uint8_t>() + 100, std::uint8_t{1});
    const std::uintptr_t to = address(device_.data());
    const std::uintptr_t from = address(pinned_.data());
    const std::vector<AccessInterval> copied =
        recorded([&] { program::copy_bytes(device_.data() + 8, pinned_.data(), 100); });
    std::vector<AccessInterval> expected{{to + 8, to + 108, Access::write, 0}, {from, from + 100, Access::read, 0}};
    std::ranges::sort(expected, {}, &AccessInterval::begin);
    expect(copied, expected);
    ASSERT_FALSE(copied.empty());
    expect_line(copied[0].pc, "instrumented_program.cpp", program::line_of_copy_bytes);
    EXPECT_TRUE(std::equal(pinned<std::uint8_t>(), pinned<std::uint8_t>() + 100, device<std::uint8_t>(8)));

    expect(recorded([&] { program::move_bytes(device_.data() + 16, device_.data() + 8, 100); }),
           {{to + 8, to + 16, Access::read, 0}, {to + 16, to + 116, Access::write, 0}});
    EXPECT_EQ(device<std::uint8_t>(16)[99], 100);
    EXPECT_EQ(device<std::uint8_t>(16)[0], 1);

    expect(recorded([&] { program::fill_bytes(device_.data(), 9, 5000); }), {{to, to + 5000, Access::write, 0}});
    EXPECT_EQ(*device<std::uint8_t>(4999), 9);
    EXPECT_EQ(*device<std::uint8_t>(5000), 0);

    expect(recorded([&] { EXPECT_TRUE(program::equal_bytes(device_.data(), device_.data() + 100, 50)); }),
           {{to, to + 50, Access::read, 0}, {to + 100, to + 150, Access::read, 0}});
    recorded([&] { EXPECT_FALSE(program::equal_bytes(device_.data(), pinned_.data(), 50)); });
}

TEST_F(Instrumentation, LibraryTemplatesNameTheUsersLine) {
    const std::vector<AccessInterval> copied =
        recorded([&] { program::copy_elements(device<std::int32_t>(), 16, device<std::int32_t>(1024)); });
    const std::uintptr_t begin = address(device_.data());
    expect(copied, {{begin, begin + 64, Access::read, 0}, {begin + 1024, begin + 1088, Access::write, 0}});
    ASSERT_FALSE(copied.empty());
    ASSERT_GT(source_lines(copied[0].pc).size(), 1u) << "std::copy was not inlined: this test shows nothing";
    EXPECT_FALSE(is_users_file(source_lines(copied[0].pc).front().file));
    expect_line(copied[0].pc, "instrumented_program.cpp", program::line_of_copy_elements);
}

TEST_F(Instrumentation, AtomicsComputeAndAreRecorded) {
    const std::uintptr_t begin = address(device_.data());
    expect(recorded([&] { EXPECT_TRUE(program::atomics_behave(*device<std::atomic<std::uint8_t>>(0))); }),
           {{begin, begin + 1, Access::atomic, 0}});
    expect(recorded([&] { EXPECT_TRUE(program::atomics_behave(*device<std::atomic<std::uint16_t>>(2))); }),
           {{begin + 2, begin + 4, Access::atomic, 0}});
    expect(recorded([&] { EXPECT_TRUE(program::atomics_behave(*device<std::atomic<std::uint32_t>>(4))); }),
           {{begin + 4, begin + 8, Access::atomic, 0}});
    expect(recorded([&] { EXPECT_TRUE(program::atomics_behave(*device<std::atomic<std::uint64_t>>(8))); }),
           {{begin + 8, begin + 16, Access::atomic, 0}});
}

TEST_F(Instrumentation, OtherMemoryIsNotRecordedUntilItIsTracked) {
    auto* const to = reinterpret_cast<std::int32_t*>(other_.data());
    const auto store = [&] { program::store(to); };
    const std::vector<AccessInterval> one_store{{address(to), address(to) + 4, Access::write, 0}};
    EXPECT_TRUE(recorded(store).empty());

    add_tracked_range(range(to, 4));
    add_tracked_range(range(to, 100));
    add_tracked_range(range(to + 1000, 100));
    expect(recorded(store), one_store);
    remove_tracked_range(range(to, 4));
    expect(recorded(store), one_store);
    EXPECT_TRUE(recorded([&] { program::store(to + 25); }).empty());
    remove_tracked_range(range(to, 100));
    EXPECT_TRUE(recorded(store).empty());
    expect(recorded([&] { program::store(to + 1024); }), {{address(to + 1024), address(to + 1025), Access::write, 0}});
    remove_tracked_range(range(to + 1000, 100));
    EXPECT_TRUE(recorded([&] { program::store(to + 1024); }).empty());
}

TEST_F(Instrumentation, TrackedRangesMayLieInsideOneAnother) {
    auto* const memory = reinterpret_cast<std::int32_t*>(other_.data());
    add_tracked_range(range(memory, 100));
    add_tracked_range(range(memory + 1, 4));
    expect(recorded([&] { program::store(memory + 12); }),
           {{address(memory + 12), address(memory + 13), Access::write, 0}});
    remove_tracked_range(range(memory, 100));
    EXPECT_TRUE(recorded([&] { program::store(memory + 12); }).empty());
    EXPECT_EQ(recorded([&] { program::store(memory + 1); }).size(), 1u);
    remove_tracked_range(range(memory + 1, 4));
}

TEST_F(Instrumentation, TrackedHostVectorsAreSeen) {
    std::vector<std::int32_t> values(100, 1);
    add_tracked_range(range(values.data(), 400));
    expect(recorded([&] { program::increment_all(values); }, Running::host_code),
           {{address(values.data()), address(values.data()) + 400, Access::write, 0}});
    remove_tracked_range(range(values.data(), 400));
    EXPECT_EQ(values[99], 2);
}

TEST_F(Instrumentation, HostCodeThatTouchesDeviceMemoryIsReported) {
    auto* const to = device<std::int32_t>(32);
    const auto store = [&] { program::store(to); };
    EXPECT_TRUE(recorded(store, Running::host_code).empty());
    ASSERT_EQ(host_touches.size(), 1u);
    EXPECT_EQ(host_touches[0].address, address(to));
    EXPECT_EQ(host_touches[0].kind, Access::write);
    EXPECT_EQ(source_line(host_touches[0].pc).line, program::line_of_store);

    record_host_touches = true;
    EXPECT_EQ(recorded(store, Running::host_code).size(), 1u);
    EXPECT_EQ(recorded(store, Running::device_code).size(), 1u);
    EXPECT_EQ(recorded([&] { program::store(pinned<std::int32_t>()); }, Running::host_code).size(), 1u);
    EXPECT_EQ(host_touches.size(), 2u) << "device code and pinned memory are no business of the handler";
}

TEST_F(Instrumentation, NothingIsRecordedWhilePausedOrOnOtherThreads) {
    const std::vector<AccessInterval> found = recorded([&] {
        {
            const RecordingPaused paused;
            program::store(device<std::int32_t>());
        }
        std::thread([&] { program::store(device<std::int32_t>(8)); }).join();
        program::store(device<std::int32_t>(16));
    });
    const std::uintptr_t begin = address(device_.data());
    expect(found, {{begin + 16, begin + 20, Access::write, 0}});
}

TEST_F(Instrumentation, TheSimulatorCanRecordForItsOwnFunctions) {
    const std::uintptr_t begin = address(device_.data());
    EXPECT_EQ(recorded([&] { record_access(device_.data() + 4, 8, Access::atomic, 99); }),
              (std::vector<AccessInterval>{{begin + 4, begin + 12, Access::atomic, 99}}));
    EXPECT_TRUE(recorded([&] { record_access(other_.data(), 8, Access::atomic, 99); }).empty());
}

TEST_F(Instrumentation, BasicBlocksCountTheWork) {
    const auto blocks = [](unsigned rounds) {
        const std::uint64_t before = instrumentation.basic_blocks;
        program::loop(rounds);
        return instrumentation.basic_blocks - before;
    };
    const std::uint64_t few = blocks(10);
    EXPECT_EQ(blocks(10), few);
    const std::uint64_t many = blocks(1010);
    EXPECT_GE(many, few + 1000);
    EXPECT_EQ((many - few) % 1000, 0u);
}

TEST_F(Instrumentation, ADeferredProgramTakesEffectLater) {
    *device<std::int32_t>() = 5;
    recorder_.clear();
    recorder_.save_pages(true);
    set_recorder(&recorder_);
    program::store(device<std::int32_t>());
    program::fill_bytes(device_.data() + 100, 3, 6000);
    set_recorder(nullptr);
    EXPECT_EQ(*device<std::int32_t>(), 17);
    DeferredWrites writes = recorder_.take_back_writes();
    EXPECT_EQ(*device<std::int32_t>(), 5);
    EXPECT_EQ(*device<std::uint8_t>(3000), 0);
    writes.apply();
    EXPECT_EQ(*device<std::int32_t>(), 17);
    EXPECT_EQ(*device<std::uint8_t>(3000), 3);
}

// Memory that a program gave back is still tracked when the recorder itself gets it from the allocator.
TEST_F(Instrumentation, TheRecordersOwnMemoryIsNoAccessOfTheProgram) {
    const AddressRange everything{recorder_page_bytes, ~std::uintptr_t{0} / 2};
    constexpr std::size_t pages = 512;  // enough for the recorder to need new memory again and again
    std::vector<std::byte> accessed(pages * recorder_page_bytes);
    AccessRecorder recorder;
    recorder.save_pages(true);
    add_tracked_range(everything);
    set_recorder(&recorder);
    for (std::size_t page = 0; page < pages; ++page) {
        record_access(accessed.data() + page * recorder_page_bytes, 4, Access::write, 1);
    }
    set_recorder(nullptr);
    remove_tracked_range(everything);
    EXPECT_EQ(recorder.bytes_written(), pages * 4);
}

}  // namespace
}  // namespace simulator
