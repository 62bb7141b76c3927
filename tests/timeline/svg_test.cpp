#include "timeline/svg.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sample_traces.hpp"
#ifdef HAVE_LIBXML2
#include <libxml/parser.h>
#endif

namespace {

using device::OperationKind;
using messages::Language;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

timeline::SvgOptions options(Language language = Language::english) {
    timeline::SvgOptions result;
    result.language = language;
    return result;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
        ++found;
    }
    return found;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// The value of `attribute` in each element that contains `element`.
std::vector<double> values(const std::string& svg, const std::string& element, const std::string& attribute) {
    std::vector<double> result;
    for (auto at = svg.find(element); at != std::string::npos; at = svg.find(element, at + 1)) {
        const auto value = svg.find(" " + attribute + "=\"", at);
        result.push_back(std::stod(svg.substr(value + attribute.size() + 3)));
    }
    return result;
}

// The error of an XML parser, empty when `svg` is well-formed. Without libxml2: a look at tags and ampersands.
std::string xml_error(const std::string& svg) {
#ifdef HAVE_LIBXML2
    xmlDocPtr document = xmlReadMemory(svg.data(), static_cast<int>(svg.size()), "timeline.svg", nullptr,
                                       XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET);
    if (document == nullptr) {
        const auto* error = xmlGetLastError();
        return error == nullptr ? "no document" : error->message;
    }
    xmlFreeDoc(document);
    return "";
#else
    for (const char* tag : {"svg", "g", "text", "title", "style"}) {
        const std::string name = tag;
        if (count(svg, "<" + name + " ") + count(svg, "<" + name + ">") != count(svg, "</" + name + ">")) {
            return "unbalanced " + name;
        }
    }
    for (auto at = svg.find('&'); at != std::string::npos; at = svg.find('&', at + 1)) {
        const auto end = svg.find(';', at);
        if (end == std::string::npos || end - at > 6) {
            return "bare ampersand";
        }
    }
    return svg.find('\033') == std::string::npos ? "" : "control character";
#endif
}

TEST(Svg, IsWellFormedInEveryForm) {
    for (const auto& trace : {device::Trace{}, sample::three_chunks(), sample::random_trace(3, 1000)}) {
        for (const auto grouping : {timeline::Grouping::engine, timeline::Grouping::stream}) {
            for (const auto language : {Language::english, Language::simplified_chinese}) {
                auto chosen = options(language);
                chosen.grouping = grouping;
                const auto svg = timeline::render_svg(trace, chosen);
                EXPECT_EQ(xml_error(svg), "");
                EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
                EXPECT_TRUE(svg.ends_with("</svg>\n"));
            }
        }
    }
}

TEST(Svg, TheWellFormednessCheckCanFail) {
    EXPECT_NE(xml_error("<svg><g></svg>"), "");
    EXPECT_NE(xml_error("<svg>a & b</svg>"), "");
}

TEST(Svg, NeedsNothingFromOutside) {
    const auto svg = timeline::render_svg(sample::three_chunks(), options());
    EXPECT_FALSE(has(svg, "href"));
    EXPECT_FALSE(has(svg, "<script"));
    EXPECT_FALSE(has(svg, "url("));
    EXPECT_FALSE(has(svg, "@import"));
    EXPECT_TRUE(has(svg, "prefers-color-scheme: dark"));
}

TEST(Svg, EveryOperationIsABarThatSaysWhatItIs) {
    auto chosen = options();
    chosen.range = "run";
    const auto svg = timeline::render_svg(sample::three_chunks(), chosen);
    EXPECT_EQ(count(svg, "<rect class=\"bar\""), 9U);
    EXPECT_TRUE(has(svg,
                    "<title>cudaMemcpyAsync (H2D, pinned) on stream 1: 1000000 bytes, 10.0 GB/s\n"
                    "from 0 ns to 100 µs, 100 µs; issued at 0 ns\nlab.cu, line 20</title>"));
    EXPECT_TRUE(has(svg, "<title>kernel scale on stream 2\nfrom 200 µs to 300 µs, 100 µs; issued at 0 ns\n"));
    EXPECT_TRUE(has(svg, "NVIDIA H200, simulated (profile h200-pcie5): &quot;run&quot;, 600 µs"));
    EXPECT_TRUE(has(svg, ">stream 1</text>"));
    EXPECT_TRUE(has(svg, "<title>host in cudaStreamSynchronize: 380 µs</title>"));
}

TEST(Svg, BarsLieWhereTheirTimesAre) {
    auto chosen = options();
    chosen.range = "run";
    const auto svg = timeline::render_svg(sample::three_chunks(), chosen);
    const auto x = values(svg, "<rect class=\"bar\"", "x");
    const auto width = values(svg, "<rect class=\"bar\"", "width");
    ASSERT_EQ(x.size(), 9U);
    const double left = x[0];
    const double unit = width[0];  // 100 µs; the rows are H2D, kernel, D2H, the chunks begin at 0, 100 and 300 µs
    const double starts[] = {0, 1, 3, 1, 2, 4, 2, 3, 5};
    for (std::size_t index = 0; index < 9; ++index) {
        EXPECT_NEAR(x[index], left + starts[index] * unit, 0.05) << index;
        EXPECT_NEAR(width[index], unit, 0.02) << index;
    }
    EXPECT_NEAR(left + 6 * unit, 940, 0.1);
}

TEST(Svg, ColourFollowsTheStream) {
    auto trace = sample::three_chunks();
    const auto svg = timeline::render_svg(trace, options());
    EXPECT_EQ(count(svg, "fill=\"#56b4e9\"/>"), 6U + 1U);  // two chunks on stream 1, and the legend
    EXPECT_EQ(count(svg, "fill=\"#e69f00\"/>"), 3U + 1U);
    EXPECT_EQ(count(svg, "fill=\"#999999\"/>"), 1U + 1U);  // the legacy default stream
}

TEST(Svg, NamesAreEscaped) {
    auto trace = sample::three_chunks();
    trace.device = "A<B> & \"C\" 'D'\033[31m";
    trace.operations[1].name = "scale<float, (Mode)1>&\x01";
    auto chosen = options();
    const auto svg = timeline::render_svg(trace, chosen);
    EXPECT_EQ(xml_error(svg), "");
    EXPECT_TRUE(has(svg, "A&lt;B&gt; &amp; &quot;C&quot; &#39;D&#39;\xEF\xBF\xBD[31m"));
    EXPECT_TRUE(has(svg, "kernel scale&lt;float, (Mode)1&gt;&amp;\xEF\xBF\xBD on stream 1"));
    chosen.title = "</text><script>";
    EXPECT_TRUE(has(timeline::render_svg(trace, chosen), "&lt;/text&gt;&lt;script&gt;"));
}

TEST(Svg, AThousandTinyOperationsAreJoined) {
    device::Trace trace;
    for (int index = 0; index < 20000; ++index) {
        trace.operations.push_back(
            sample::operation(OperationKind::kernel, 1, nanoseconds(10 * index), nanoseconds(10 * index + 9)));
    }
    const auto svg = timeline::render_svg(trace, options());
    EXPECT_LT(svg.size(), 20000U);
    EXPECT_TRUE(has(svg, "<title>20000 operations on stream 1</title>"));
}

TEST(Svg, OperationsOfNoLengthCanBeSeen) {
    device::Trace trace;
    trace.operations = {sample::operation(OperationKind::kernel, 1, 5ns, 5ns)};
    for (const double width : values(timeline::render_svg(trace, options()), "<rect class=\"bar\"", "width")) {
        EXPECT_GE(width, 0.5);
    }
    EXPECT_EQ(count(timeline::render_svg(trace, options()), "<rect class=\"bar\""), 1U);
}

TEST(Svg, OperationsAtTheSameTimeLieBesideEachOther) {
    device::Trace trace;
    trace.operations = {sample::operation(OperationKind::kernel, 1, 0ns, 100ns),
                        sample::operation(OperationKind::kernel, 2, 50ns, 150ns)};
    const auto y = values(timeline::render_svg(trace, options()), "<rect class=\"bar\"", "y");
    ASSERT_EQ(y.size(), 2U);
    EXPECT_GE(y[1] - y[0], 24);
}

TEST(Svg, SpeaksChinese) {
    const auto svg = timeline::render_svg(sample::three_chunks(), options(Language::simplified_chinese));
    EXPECT_TRUE(has(svg, ">核函数</text>"));
    EXPECT_TRUE(has(svg, "模拟（配置 h200-pcie5）"));
    EXPECT_TRUE(has(svg, "流 0，传统默认流"));
}

TEST(Svg, TheSameTraceGivesTheSameBytes) {
    const auto trace = sample::random_trace(11, 300);
    EXPECT_EQ(timeline::render_svg(trace, options()), timeline::render_svg(trace, options()));
}

TEST(Svg, AMissingRangeIsAnError) {
    auto chosen = options();
    chosen.range = "warm-up";
    EXPECT_THROW(timeline::render_svg(sample::three_chunks(), chosen), std::invalid_argument);
}

}  // namespace
