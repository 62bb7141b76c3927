#include "timeline/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "timeline/scale.hpp"
#include "timeline/text_columns.hpp"

namespace timeline {
namespace {

using device::Operation;

constexpr int smallest_width = 400;
constexpr std::size_t most_lanes = 8;
constexpr std::size_t most_host_calls = 4;
constexpr double margin = 20;
constexpr double lane_height = 24;
constexpr double lane_gap = 3;
constexpr double row_gap = 11;
constexpr double title_height = 44;
constexpr double text_line_height = 19;
constexpr double label_font = 13;
constexpr double pixels_per_mark = 90;
constexpr double narrowest_bar = 0.75;
constexpr double narrowest_label = 16;

// Okabe and Ito's palette, which colour-blind readers can tell apart, each with the text colour that reads on it.
struct Paint {
    std::string_view fill;
    std::string_view text;
};
constexpr Paint palette[] = {{"#56b4e9", "#000"}, {"#e69f00", "#000"}, {"#009e73", "#000"}, {"#cc79a7", "#000"},
                             {"#0072b2", "#fff"}, {"#d55e00", "#000"}, {"#f0e442", "#000"}};
constexpr Paint default_stream_paint{"#999999", "#000"};

constexpr std::string_view style =
    "<style>\n"
    "  .page { fill: #ffffff; }\n"
    "  text { fill: #1f2328; font-family: system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', "
    "'PingFang SC', 'Microsoft YaHei', sans-serif; }\n"
    "  .title { font-weight: 600; font-size: 16px; }\n"
    "  .label { font-size: 13px; }\n"
    "  .small { font-size: 12px; }\n"
    "  .soft { fill: #59636e; }\n"
    "  .grid { stroke: #d1d9e0; stroke-width: 1; }\n"
    "  .track { fill: #f3f5f7; }\n"
    "  .call { fill: #8c959f; }\n"
    "  .bar { stroke: #ffffff; stroke-width: 0.5; }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    .page { fill: #0d1117; }\n"
    "    text { fill: #e6edf3; }\n"
    "    .soft { fill: #9198a1; }\n"
    "    .grid { stroke: #3d444d; }\n"
    "    .track { fill: #161b22; }\n"
    "    .call { fill: #656c76; }\n"
    "    .bar { stroke: #0d1117; }\n"
    "  }\n"
    "</style>\n";

// Text between tags or in a quoted attribute.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char byte : printable(text)) {
        switch (byte) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += byte;
        }
    }
    return result;
}

// About how wide text is drawn, from its columns.
double text_width(std::string_view text, double font_size) {
    return static_cast<double>(columns(text)) * font_size * 0.58;
}

// Operations of one lane and stream that are drawn as one bar.
struct Bar {
    double x = 0;
    double width = 0;
    const Operation* first = nullptr;
    std::size_t operations = 1;
};

class Picture {
public:
    Picture(const device::Trace& trace, const SvgOptions& options)
        : options_(options),
          drawing_(lay_out(trace, options.range, options.grouping, options.language, most_lanes)),
          calls_(longest_calls(drawing_, most_host_calls)),
          width_(std::max(options.width, smallest_width)) {
        double widest = text_width(say("timeline.host"), label_font);
        for (const Row& row : drawing_.rows) {
            widest = std::max(widest, text_width(row.label, label_font));
        }
        left_ = margin + widest + 14;
        right_ = width_ - margin;
    }

    std::string text() {
        y_ = title_height;
        draw_rows();
        draw_host();
        const double rows_end = y_ - row_gap + 4;
        const std::string grid = axis(rows_end);
        y_ = rows_end + 38;
        draw_legend();
        draw_facts();
        const std::string body = heading() + tracks_ + grid + body_;
        return fmt::format(
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" viewBox=\"0 0 {0} "
                   "{1:.0f}\" "
                   "role=\"img\" aria-label=\"{2}\">\n",
                   width_, y_ + margin - 8, escaped(title())) +
               std::string(style) + "<rect class=\"page\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n" + body +
               "</svg>\n";
    }

private:
    std::string say(std::string_view id, const messages::Arguments& arguments = {}) const {
        return messages::text(id, arguments, options_.language);
    }

    std::string title() const {
        return options_.title.empty() ? title_text(drawing_, options_.range, options_.language) : options_.title;
    }

    std::string heading() const {
        return fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"28\">{}</text>\n", margin, escaped(title()));
    }

    double x_of(nanoseconds time) const {
        const double length = std::max(1.0, static_cast<double>(drawing_.window.length().count()));
        const double part = static_cast<double>((time - drawing_.window.start).count()) / length;
        return left_ + std::clamp(part, 0.0, 1.0) * (right_ - left_);
    }

    void draw_rows() {
        for (const Row& row : drawing_.rows) {
            draw_track(row.label, row.lanes.size());
            for (const Lane& lane : row.lanes) {
                for (const Bar& bar : bars_of(lane)) {
                    draw_bar(bar);
                }
                y_ += lane_height + lane_gap;
            }
            y_ += row_gap - lane_gap;
        }
    }

    void draw_track(const std::string& label, std::size_t lanes) {
        const double height = static_cast<double>(lanes) * (lane_height + lane_gap) - lane_gap;
        tracks_ += fmt::format(
            "<rect class=\"track\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" rx=\"3\"/>\n", left_,
            y_, right_ - left_, height);
        body_ += fmt::format("<text class=\"label\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n",
                             left_ - 10, y_ + lane_height / 2 + 4.5, escaped(label));
    }

    // Joins operations of one stream that are too narrow, and too close, to be seen apart.
    std::vector<Bar> bars_of(const Lane& lane) const {
        std::vector<Bar> bars;
        for (const std::size_t index : lane) {
            const Operation& operation = drawing_.trace.operations[index];
            const double x = x_of(operation.start);
            const double end = std::max(x_of(operation.end), x + narrowest_bar);
            if (!bars.empty() && joins(bars.back(), operation, x, end)) {
                bars.back().width = std::max(bars.back().width, end - bars.back().x);
                ++bars.back().operations;
            } else {
                bars.push_back({x, end - x, &operation, 1});
            }
        }
        return bars;
    }

    bool joins(const Bar& bar, const Operation& operation, double x, double end) const {
        constexpr double too_close = 0.5;
        const bool narrow = end - x < 2 * narrowest_bar && (bar.operations > 1 || bar.width < 2 * narrowest_bar);
        return narrow && bar.first->stream == operation.stream && bar.first->kind == operation.kind &&
               x - (bar.x + bar.width) < too_close;
    }

    Paint paint_of(const Operation& operation) const {
        if (options_.grouping == Grouping::stream) {
            return palette[static_cast<std::size_t>(operation.kind) % std::size(palette)];
        }
        return stream_paint(operation.stream);
    }

    static Paint stream_paint(std::uint32_t stream) {
        return stream == 0 ? default_stream_paint : palette[(stream - 1) % std::size(palette)];
    }

    std::string bar_label(const Bar& bar) const {
        if (bar.operations > 1) {
            return "";
        }
        const std::string text = options_.grouping == Grouping::engine ? std::to_string(bar.first->stream)
                                                                       : kind_label(bar.first->kind, options_.language);
        const bool fits = bar.width >= std::max(narrowest_label, text_width(text, label_font) + 6);
        return fits ? text : "";
    }

    void draw_bar(const Bar& bar) {
        const Paint paint = paint_of(*bar.first);
        streams_.insert(bar.first->stream);
        kinds_.insert(bar.first->kind);
        body_ += fmt::format(
            "<g><title>{}</title><rect class=\"bar\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.0f}\" "
            "rx=\"{}\" "
            "fill=\"{}\"/>",
            escaped_lines(bar_title(bar)), bar.x, y_, bar.width, lane_height, bar.width > 6 ? 2 : 0, paint.fill);
        const std::string label = bar_label(bar);
        if (!label.empty()) {
            body_ += fmt::format(
                "<text class=\"label\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\" style=\"fill: {}\">{}</text>",
                bar.x + bar.width / 2, y_ + lane_height / 2 + 4.5, paint.text, escaped(label));
        }
        body_ += "</g>\n";
    }

    static std::string escaped_lines(const std::vector<std::string>& lines) {
        std::string result;
        for (const std::string& line : lines) {
            result += (result.empty() ? "" : "\n") + escaped(line);
        }
        return result;
    }

    std::vector<std::string> bar_title(const Bar& bar) const {
        const Operation& operation = *bar.first;
        if (bar.operations > 1) {
            return {say("timeline.svg.several",
                        {{"count", std::to_string(bar.operations)}, {"stream", stream_name(operation)}})};
        }
        std::vector<std::string> lines{what(operation), times(operation)};
        if (operation.at.line > 0) {
            lines.push_back(
                say("timeline.svg.line", {{"file", operation.at.file}, {"line", std::to_string(operation.at.line)}}));
        }
        return lines;
    }

    std::string stream_name(const Operation& operation) const {
        return messages::stream_number(operation.stream, options_.language);
    }

    std::string what(const Operation& operation) const {
        messages::Arguments arguments{{"name", operation.name},
                                      {"stream", stream_name(operation)},
                                      {"bytes", fmt::format("{}", operation.bytes)}};
        if (operation.kind == device::OperationKind::kernel) {
            return say("timeline.svg.kernel", arguments);
        }
        if (operation.kind == device::OperationKind::memset) {
            return say("timeline.svg.memset", arguments);
        }
        if (operation.kind == device::OperationKind::host_function) {
            return say("timeline.svg.host_function", arguments);
        }
        arguments["kind"] = kind_label(operation.kind, options_.language);
        arguments["memory"] = say(memory_id(operation.host_memory));
        arguments["rate"] = rate(operation);
        return say("timeline.svg.copy", arguments);
    }

    static std::string_view memory_id(device::HostMemory memory) {
        switch (memory) {
            case device::HostMemory::pageable:
                return "timeline.memory.pageable";
            case device::HostMemory::pinned:
            case device::HostMemory::registered:
                return "timeline.memory.pinned";
            case device::HostMemory::none:
                break;
        }
        return "timeline.memory.none";
    }

    // Bytes per nanosecond are GB/s.
    static std::string rate(const Operation& operation) {
        const auto time = (operation.end - operation.start).count();
        return time <= 0 ? "-"
                         : fmt::format("{:.1f}", static_cast<double>(operation.bytes) / static_cast<double>(time));
    }

    std::string times(const Operation& operation) const {
        const auto since_start = [&](nanoseconds time) { return time_text(time - drawing_.window.start); };
        return say("timeline.svg.times", {{"start", since_start(operation.start)},
                                          {"end", since_start(operation.end)},
                                          {"duration", time_text(operation.end - operation.start)},
                                          {"issued", since_start(operation.issued)}});
    }

    void draw_host() {
        draw_track(say("timeline.host"), 1);
        double previous_end = left_;
        for (const auto& call : drawing_.trace.host_calls) {
            const double x = x_of(call.start);
            const double end = x_of(call.end);
            const bool listed =
                std::any_of(calls_.begin(), calls_.end(), [&](const auto& total) { return total.name == call.name; });
            // A call too short to be seen took no time worth showing; in dense places one bar per pixel is enough.
            if (!listed || end - std::max(x, previous_end) < narrowest_bar / 2) {
                continue;
            }
            draw_call(call, x, end);
            previous_end = end;
        }
        y_ += lane_height + row_gap;
    }

    void draw_call(const device::HostCall& call, double x, double end) {
        const std::string title =
            say("timeline.svg.host_call", {{"call", call.name}, {"duration", time_text(call.end - call.start)}});
        body_ += fmt::format(
            "<g><title>{}</title><rect class=\"bar call\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
            "height=\"{:.0f}\"/>",
            escaped(title), x, y_ + 5, end - x, lane_height - 10);
        if (end - x > text_width(call.name, label_font) + 8) {
            body_ += fmt::format("<text class=\"small\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>",
                                 (x + end) / 2, y_ + lane_height / 2 + 4, escaped(call.name));
        }
        body_ += "</g>\n";
    }

    std::string axis(double bottom) const {
        const int most = std::max(2, static_cast<int>((right_ - left_) / pixels_per_mark));
        std::string result;
        for (const Mark& mark : marks(drawing_.window.length(), most)) {
            const double x = x_of(drawing_.window.start + mark.at);
            const bool at_right = x + text_width(mark.text, 12) / 2 > right_ + margin;
            result +=
                fmt::format("<line class=\"grid\" x1=\"{0:.2f}\" y1=\"{1:.0f}\" x2=\"{0:.2f}\" y2=\"{2:.2f}\"/>\n", x,
                            title_height - 4, bottom);
            result += fmt::format("<text class=\"small soft\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n",
                                  x, bottom + 16, at_right ? "end" : "middle", escaped(mark.text));
        }
        return result;
    }

    // Coloured squares with their meaning, broken into lines.
    void draw_legend() {
        double x = left_;
        const auto entry = [&](const Paint& paint, const std::string& text) {
            const double width = 18 + text_width(text, 12) + 16;
            if (x + width > right_ && x > left_) {
                x = left_;
                y_ += text_line_height;
            }
            body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>", x,
                                 y_ - 10, paint.fill);
            body_ +=
                fmt::format("<text class=\"small\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", x + 18, y_, escaped(text));
            x += width;
        };
        if (options_.grouping == Grouping::engine) {
            stream_legend(entry);
        } else {
            for (const auto kind : kinds_) {
                entry(palette[static_cast<std::size_t>(kind) % std::size(palette)],
                      kind_label(kind, options_.language));
            }
        }
        y_ += x > left_ ? text_line_height + 3 : 0;
    }

    template <typename Entry>
    void stream_legend(Entry entry) const {
        constexpr std::size_t most = 16;
        std::size_t shown = 0;
        for (const std::uint32_t stream : streams_) {
            if (shown++ < most) {
                entry(stream_paint(stream),
                      say("timeline.stream", {{"stream", messages::stream_number(stream, options_.language)}}));
            }
        }
    }

    void draw_facts() {
        for (const std::string& fact : fact_texts(drawing_, options_.language)) {
            body_ += fmt::format("<text class=\"small soft\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", left_, y_,
                                 escaped(fact));
            y_ += text_line_height;
        }
    }

    const SvgOptions& options_;
    Drawing drawing_;
    std::vector<CallTotal> calls_;
    int width_;
    double left_ = 0;
    double right_ = 0;
    double y_ = 0;
    std::string tracks_;  // below the grid
    std::string body_;    // above it
    std::set<std::uint32_t> streams_;
    std::set<device::OperationKind> kinds_;
};

}  // namespace

std::string render_svg(const device::Trace& trace, const SvgOptions& options) {
    return Picture(trace, options).text();
}

}  // namespace timeline
