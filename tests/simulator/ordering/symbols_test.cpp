#include "simulator/ordering/symbols.hpp"

#include <gtest/gtest.h>

#include "library.hpp"

namespace simulator {
namespace {

[[gnu::noinline]] std::uintptr_t return_address() {
    return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

TEST(Symbols, FindTheLineOfACall) {
    const int line = __LINE__ + 1;
    const std::uintptr_t address = return_address();
    const device::SourceLine found = source_line(address);
    EXPECT_TRUE(found.file.ends_with("symbols_test.cpp")) << found.file;
    EXPECT_EQ(found.line, line);
    EXPECT_EQ(source_line(address), found) << "the second time from the cache";
}

int line_of_inner = 0;

[[gnu::always_inline]] inline std::uintptr_t inlined_call() {
    line_of_inner = __LINE__ + 1;
    const std::uintptr_t address = return_address();
    asm volatile("");
    return address;
}

TEST(Symbols, InlinedCallsAreListedFromTheInside) {
    const int line_of_outer = __LINE__ + 1;
    const std::uintptr_t address = inlined_call();
    const std::vector<device::SourceLine> lines = source_lines(address);
    ASSERT_GE(lines.size(), 2u);
    EXPECT_EQ(lines[0].line, line_of_inner);
    EXPECT_EQ(lines[1].line, line_of_outer);
    int asked = 0;
    EXPECT_EQ(source_line(address, [&](std::string_view) { return ++asked == 2; }), lines[1]);
    EXPECT_EQ(source_line(address, [](std::string_view) { return false; }), lines[0]);
}

int line_of_call_in_member = 0;

struct Program {
    std::uintptr_t run() {
        line_of_call_in_member = __LINE__ + 1;
        const std::uintptr_t address = inlined_call();
        asm volatile("");
        return address;
    }
};

// As the harness calls a lab: through a pointer to a lambda inside a function template, into which run() is inlined.
template <typename Pipeline>
auto adapter_of() -> std::uintptr_t (*)(void*) {
    return [](void* self) { return static_cast<Pipeline*>(self)->run(); };
}

TEST(Symbols, InlinedCallsInALambdaAreListedToo) {
    Program program;
    std::uintptr_t (*volatile run)(void*) = adapter_of<Program>();
    const std::vector<device::SourceLine> lines = source_lines(run(&program));
    ASSERT_GE(lines.size(), 2u);
    EXPECT_EQ(lines[0].line, line_of_inner);
    EXPECT_EQ(lines[1].line, line_of_call_in_member);
}

TEST(Symbols, SharedLibrariesAreKnownToo) {
    const device::SourceLine found = source_line(library::address_in_library());
    EXPECT_TRUE(found.file.ends_with("library.cpp")) << found.file;
    EXPECT_EQ(found.line, library::line_of_call);
}

TEST(Symbols, UnknownAddressesGiveNothing) {
    EXPECT_EQ(source_line(0), device::SourceLine{});
    EXPECT_EQ(source_line(1), device::SourceLine{});
    int on_the_stack = 0;
    EXPECT_EQ(source_line(reinterpret_cast<std::uintptr_t>(&on_the_stack)), device::SourceLine{});
}

TEST(Symbols, HeadersOfSystemAndSimulatorAreNotTheUsers) {
    EXPECT_FALSE(is_users_file("/usr/include/c++/12/bits/stl_algobase.h"));
    EXPECT_FALSE(is_users_file("/usr/lib/llvm-14/include/c++/v1/algorithm"));
    EXPECT_FALSE(is_users_file("/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/vector"));
    EXPECT_FALSE(is_users_file("<built-in>"));
    EXPECT_FALSE(is_users_file("../src/simulator/include/cuda_runtime.h"));
    EXPECT_FALSE(is_users_file("src/lab/lab_harness.h"));
    EXPECT_TRUE(is_users_file("labs/03_streams/lab.cu"));
    EXPECT_TRUE(is_users_file("/home/reader/copy.cu"));
}

}  // namespace
}  // namespace simulator
