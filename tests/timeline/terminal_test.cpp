#include "timeline/terminal.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "sample_traces.hpp"
#include "timeline/text_columns.hpp"

namespace {

using device::OperationKind;
using messages::Language;
using namespace std::chrono_literals;

timeline::TerminalOptions options(std::size_t width, Language language = Language::english) {
    timeline::TerminalOptions result;
    result.width = width;
    result.range = "run";
    result.language = language;
    return result;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        result.push_back(line);
    }
    return result;
}

TEST(Terminal, GoldenAt80Columns) {
    EXPECT_EQ("\n" + timeline::render_terminal(sample::three_chunks(), options(80)), R"(
NVIDIA H200, simulated (profile h200-pcie5): "run", 600 µs
        0                       200                     400               600 µs
        ┬───────────────────────┬───────────────────────┬──────────────────────┬
H2D     1━━━━━━━━━━━2━━━━━━━━━━━            1━━━━━━━━━━━
kernel              1━━━━━━━━━━━2━━━━━━━━━━━            1━━━━━━━━━━━
D2H                             1━━━━━━━━━━━2━━━━━━━━━━━            1━━━━━━━━━━━
host    bbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
each operation begins with its stream: 1, 2
host is in: a = cudaStreamSynchronize (2x, 580 µs)
  b = cudaMemcpyAsync (1x, 20.0 µs)
busy: H2D 50 %, kernel 50 %, D2H 50 % of the time
a copy and a kernel at once: 200 µs (33 %)
H2D and D2H at once: 100 µs (17 %)
)");
}

TEST(Terminal, GoldenAt58ColumnsInChinese) {
    EXPECT_EQ("\n" + timeline::render_terminal(sample::three_chunks(), options(58, Language::simplified_chinese)), R"(
NVIDIA H200，模拟（配置 h200-pcie5）：“run”，600 µs
        0               200              400        600 µs
        ┬───────────────┬────────────────┬───────────────┬
H2D     1━━━━━━━2━━━━━━━━        1━━━━━━━
核函数          1━━━━━━━2━━━━━━━━        1━━━━━━━━
D2H                     1━━━━━━━━2━━━━━━━        1━━━━━━━━
主机    bbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
每个操作以所在流的编号开头：1, 2
主机在执行：a = cudaStreamSynchronize（2 次，580 µs）
  b = cudaMemcpyAsync（1 次，20.0 µs）
忙碌时间占比：H2D 50 %，核函数 50 %，D2H 50 %
拷贝与核函数同时进行：200 µs（33 %）
H2D 与 D2H 同时进行：100 µs（17 %）
)");
}

TEST(Terminal, GoldenByStreamInAscii) {
    auto chosen = options(60);
    chosen.grouping = timeline::Grouping::stream;
    chosen.unicode = false;
    EXPECT_EQ("\n" + timeline::render_terminal(sample::three_chunks(), chosen), R"(
NVIDIA H200, simulated (profile h200-pcie5): "run", 600 us
          0               200              400        600 us
          +---------------+----------------+---------------+
stream 1  H-------K-------D--------H-------K-------D--------
stream 2          H-------K--------D-------
host      bbaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
H = H2D, K = kernel, D = D2H, S = memset, C = D2D, M = H2H,
  F = host function
host is in: a = cudaStreamSynchronize (2x, 580 us)
  b = cudaMemcpyAsync (1x, 20.0 us)
busy: H2D 50 %, kernel 50 %, D2H 50 % of the time
a copy and a kernel at once: 200 us (33 %)
H2D and D2H at once: 100 us (17 %)
)");
}

TEST(Terminal, NoLineIsWiderThanAsked) {
    auto trace = sample::random_trace(5, 200);
    trace.device = "NVIDIA H200";
    trace.profile = "a-profile-with-a-long-name";
    trace.simulated = true;
    trace.host_calls = sample::three_chunks().host_calls;
    for (const std::size_t width : {40U, 57U, 80U, 120U, 200U}) {
        for (const auto grouping : {timeline::Grouping::engine, timeline::Grouping::stream}) {
            auto chosen = options(width);
            chosen.grouping = grouping;
            chosen.range.clear();
            chosen.language = width >= 57 ? Language::simplified_chinese : Language::english;
            for (const auto& line : lines(timeline::render_terminal(trace, chosen))) {
                EXPECT_LE(timeline::columns(line), width) << line;
            }
        }
    }
}

TEST(Terminal, AsciiIsAsciiAlone) {
    auto chosen = options(80);
    chosen.unicode = false;
    for (const char byte : timeline::render_terminal(sample::three_chunks(), chosen)) {
        EXPECT_LT(static_cast<unsigned char>(byte), 0x80);
    }
}

TEST(Terminal, ColourOnlyAddsEscapes) {
    auto chosen = options(80);
    const auto plain = timeline::render_terminal(sample::three_chunks(), chosen);
    chosen.color = true;
    auto colored = timeline::render_terminal(sample::three_chunks(), chosen);
    EXPECT_NE(colored, plain);
    for (auto at = colored.find('\033'); at != std::string::npos; at = colored.find('\033')) {
        colored.erase(at, colored.find('m', at) - at + 1);
    }
    EXPECT_EQ(colored, plain);
}

TEST(Terminal, WithoutRangeEverythingIsDrawn) {
    auto chosen = options(80);
    chosen.range.clear();
    const auto text = timeline::render_terminal(sample::three_chunks(), chosen);
    EXPECT_EQ(lines(text)[0], "NVIDIA H200, simulated (profile h200-pcie5): 750 µs");
    EXPECT_NE(text.find("each operation begins with its stream: 0, 1, 2\n"), std::string::npos) << text;
}

TEST(Terminal, AGpuIsNotCalledSimulated) {
    auto trace = sample::three_chunks();
    trace.simulated = false;
    EXPECT_EQ(lines(timeline::render_terminal(trace, options(80)))[0], "NVIDIA H200: \"run\", 600 µs");
}

TEST(Terminal, ManyOperationsAreShownAsShades) {
    device::Trace trace;
    trace.device = "X";
    for (int index = 0; index < 1000; ++index) {  // the first half of the time half busy, then always busy
        trace.operations.push_back(sample::operation(OperationKind::kernel, 1, sample::nanoseconds(20 * index),
                                                     sample::nanoseconds(20 * index + (index < 500 ? 10 : 20))));
    }
    auto chosen = options(48);
    chosen.range.clear();
    const auto rows = lines(timeline::render_terminal(trace, chosen));
    ASSERT_GT(rows.size(), 4U);
    std::string expected = "kernel  ";
    for (int column = 0; column < 40; ++column) {
        expected += column < 20 ? "▒" : "█";
    }
    EXPECT_EQ(rows[4], expected);
    EXPECT_EQ(rows[7], "░ ▒ ▓ █ = busy up to 25, 50, 75, 100 % of that") << "after title, axis, rows and host";
}

TEST(Terminal, KernelsThatRunTogetherGetRowsOfTheirOwn) {
    device::Trace trace;
    trace.device = "X";
    trace.operations = {sample::operation(OperationKind::kernel, 1, 0ns, 200ns),
                        sample::operation(OperationKind::kernel, 2, 100ns, 400ns)};
    auto chosen = options(48);
    chosen.range.clear();
    chosen.unicode = false;
    const auto rows = lines(timeline::render_terminal(trace, chosen));
    ASSERT_GT(rows.size(), 6U);
    EXPECT_EQ(rows[4], "kernel  1-------------------");
    EXPECT_EQ(rows[5], "                  2-----------------------------");
}

TEST(Terminal, AnOperationOfNoLengthIsSeen) {
    device::Trace trace;
    trace.device = "X";
    trace.operations = {sample::operation(OperationKind::kernel, 3, 0ns, 0ns),
                        sample::operation(OperationKind::host_to_device, 4, 100ns, 100ns)};
    auto chosen = options(48);
    chosen.range.clear();
    const auto rows = lines(timeline::render_terminal(trace, chosen));
    ASSERT_GT(rows.size(), 4U);
    EXPECT_EQ(rows[4], "kernel  3");
    EXPECT_EQ(rows[3], "H2D     " + std::string(39, ' ') + "4");
}

TEST(Terminal, OnlyOperationsOfNoLengthAtOneMoment) {
    device::Trace trace;
    trace.device = "X";
    trace.operations = {sample::operation(OperationKind::kernel, 3, 0ns, 0ns)};
    auto chosen = options(48);
    chosen.range.clear();
    EXPECT_NE(timeline::render_terminal(trace, chosen).find("kernel  3\n"), std::string::npos);
}

TEST(Terminal, StreamsBeyondNineAreLetters) {
    device::Trace trace;
    trace.device = "X";
    trace.operations = {sample::operation(OperationKind::kernel, 10, 0ns, 100ns),
                        sample::operation(OperationKind::kernel, 61, 100ns, 200ns),
                        sample::operation(OperationKind::kernel, 62, 200ns, 300ns)};
    auto chosen = options(80);
    chosen.range.clear();
    const auto text = timeline::render_terminal(trace, chosen);
    EXPECT_NE(text.find("kernel  a━"), std::string::npos) << text;
    EXPECT_NE(text.find("a = 10, Z = 61, * = 62\n"), std::string::npos) << text;
}

TEST(Terminal, ManyStreamsAreCut) {
    device::Trace trace;
    trace.device = "X";
    for (std::uint32_t stream = 1; stream <= 20; ++stream) {
        trace.operations.push_back(sample::operation(OperationKind::kernel, stream, 0ns, 100ns));
    }
    auto chosen = options(80);
    chosen.range.clear();
    chosen.grouping = timeline::Grouping::stream;
    const auto text = timeline::render_terminal(trace, chosen);
    EXPECT_NE(text.find("\nstream 16"), std::string::npos) << text;
    EXPECT_EQ(text.find("\nstream 17"), std::string::npos) << text;
    EXPECT_NE(text.find("and 4 more streams, not shown\n"), std::string::npos) << text;
}

TEST(Terminal, AnEmptyTraceSaysSo) {
    device::Trace trace;
    trace.device = "X";
    auto chosen = options(80);
    chosen.range.clear();
    EXPECT_EQ(timeline::render_terminal(trace, chosen), "X: 0 ns\nno operations on the device\n");
}

TEST(Terminal, NamesCannotSteerTheTerminal) {
    auto trace = sample::three_chunks();
    trace.device = "X\033[2J";
    trace.host_calls[1].name = "call\033]0;title\007";
    const auto text = timeline::render_terminal(trace, options(80));
    EXPECT_EQ(text.find('\033'), std::string::npos);
    EXPECT_EQ(text.find('\007'), std::string::npos);
}

TEST(Terminal, AMissingRangeIsAnError) {
    auto chosen = options(80);
    chosen.range = "warm-up";
    EXPECT_THROW(timeline::render_terminal(sample::three_chunks(), chosen), std::invalid_argument);
}

TEST(Terminal, WorkOfTheHostIsDrawnWithItsCalls) {
    device::Trace trace = sample::three_chunks();
    trace.host_calls.erase(trace.host_calls.begin() + 2);  // the second wait
    trace.host_calls.push_back({"cudaGetLastError", std::chrono::microseconds(400), std::chrono::microseconds(400), {}});
    trace.ranges.push_back({"host_work", std::chrono::microseconds(400), std::chrono::microseconds(600)});
    const std::string picture = timeline::render_terminal(trace, options(80));
    EXPECT_NE(picture.find("host_work (1x, 200 µs)"), std::string::npos) << picture;
    EXPECT_EQ(picture.find("= run"), std::string::npos) << picture;  // what holds calls is no work of its own
}

}  // namespace
