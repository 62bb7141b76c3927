#include "timeline/terminal.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "timeline/scale.hpp"
#include "timeline/text_columns.hpp"

namespace timeline {
namespace {

constexpr std::size_t smallest_width = 40;
constexpr std::size_t most_lanes = 4;
constexpr std::size_t most_stream_rows = 16;
constexpr std::size_t most_host_calls = 4;
constexpr std::size_t columns_per_mark = 12;

// The characters of the picture.
struct Charset {
    std::string_view fill;
    std::string_view axis;
    std::string_view axis_mark;
    std::string_view shades[4];
};
constexpr Charset unicode_charset{"━", "─", "┬", {"░", "▒", "▓", "█"}};
constexpr Charset ascii_charset{"-", "-", "+", {".", ":", "=", "#"}};

// Foreground colours that read well on dark and on light terminals.
constexpr std::string_view colors[] = {"\033[36m", "\033[33m", "\033[35m", "\033[32m", "\033[34m", "\033[31m"};
constexpr std::string_view color_end = "\033[0m";

// One column of a row: what it shows, and in which colour (an index; none: the terminal's own).
struct Cell {
    std::string glyph = " ";
    std::optional<std::size_t> color;
};
using Cells = std::vector<Cell>;

// What happens in one column. Time is counted in units of window/columns, so that no column edge is ever rounded.
struct Load {
    std::size_t starts = 0;
    std::int64_t busy = 0;                     // of `per_column`
    const device::Operation* shown = nullptr;  // the one that starts here, else the one that covers most of it
    std::int64_t shown_busy = 0;
};

char stream_letter(std::uint32_t stream) {
    constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return stream < letters.size() ? letters[stream] : '*';
}

// Maps times to columns.
class Columns {
public:
    Columns(Interval window, std::size_t count)
        : start_(window.start), length_(std::max<std::int64_t>(window.length().count(), 1)), count_(count) {}

    std::size_t count() const { return count_; }
    std::int64_t per_column() const { return length_; }

    std::size_t column_of(nanoseconds time) const {
        return static_cast<std::size_t>(
            std::clamp<std::int64_t>(scaled(time) / length_, 0, static_cast<std::int64_t>(count_) - 1));
    }

    // Calls visit(column, busy) for each column that [start, end) touches; one of no length touches one column.
    template <typename Visit>
    void visit(nanoseconds start, nanoseconds end, Visit visit) const {
        const std::int64_t from = std::max<std::int64_t>(scaled(start), 0);
        const std::int64_t to = std::min(scaled(end), length_ * static_cast<std::int64_t>(count_));
        if (scaled(end) < 0 || from > length_ * static_cast<std::int64_t>(count_)) {
            return;
        }
        std::size_t column = column_of(start);
        std::int64_t at = from;
        do {
            const std::int64_t edge = std::min(to, (static_cast<std::int64_t>(column) + 1) * length_);
            visit(column, std::max<std::int64_t>(edge - at, 0));
            at = edge;
            ++column;
        } while (at < to && column < count_);
    }

private:
    std::int64_t scaled(nanoseconds time) const { return (time - start_).count() * static_cast<std::int64_t>(count_); }

    nanoseconds start_;
    std::int64_t length_;
    std::size_t count_;
};

class Picture {
public:
    Picture(const device::Trace& trace, const TerminalOptions& options)
        : options_(options),
          chars_(options.unicode ? unicode_charset : ascii_charset),
          width_(std::max(options.width, smallest_width)),
          drawing_(lay_out(trace, options.range, options.grouping, options.language, most_lanes)),
          calls_(longest_calls(drawing_, most_host_calls)),
          label_width_(widest_label() + 2),
          columns_(drawing_.window, width_ - label_width_) {}

    std::string text() {
        wrapped(title_text(drawing_, options_.range, options_.language, !options_.unicode));
        if (!drawing_.trace.operations.empty()) {
            draw_axis();
            draw_rows();
            draw_host();
        }
        draw_legend();
        for (const std::string& fact : fact_texts(drawing_, options_.language, !options_.unicode)) {
            wrapped(fact);
        }
        return out_;
    }

private:
    std::string say(std::string_view id, const messages::Arguments& arguments = {}) const {
        return messages::text(id, arguments, options_.language);
    }

    std::size_t widest_label() const {
        std::size_t widest = columns(say("timeline.host"));
        for (const Row& row : drawing_.rows) {
            widest = std::max(widest, columns(row.label));
        }
        return widest;
    }

    void line(std::string text) {
        text.erase(text.find_last_not_of(' ') + 1);
        out_ += text + '\n';
    }

    // Breaks at spaces where the text is wider than the picture.
    void wrapped(const std::string& text, const std::string& indent = "") {
        std::string current = indent;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            const std::string word = text.substr(at, end - at);
            const bool begins = current.find_first_not_of(' ') == std::string::npos;
            if (!begins && columns(current) + 1 + columns(word) > width_) {
                line(current);
                current = "  " + word;
            } else {
                current += (begins ? "" : " ") + word;
            }
            at = end + 1;
        }
        line(current);
    }

    void draw_axis() {
        const int most = static_cast<int>(std::max<std::size_t>(columns_.count() / columns_per_mark, 2));
        std::string labels;
        std::vector<bool> marked(columns_.count());
        for (const Mark& mark : marks(drawing_.window.length(), most, !options_.unicode)) {
            const std::size_t column = columns_.column_of(drawing_.window.start + mark.at);
            marked[column] = true;
            const std::size_t last_fit = columns_.count() - std::min(columns(mark.text), columns_.count());
            labels = padded(labels, std::min(column, last_fit)) + mark.text;
        }
        std::string rule;
        for (const bool mark : marked) {
            rule += mark ? chars_.axis_mark : chars_.axis;
        }
        line(padded("", label_width_) + labels);
        line(padded("", label_width_) + rule);
    }

    void draw_rows() {
        const std::size_t shown = options_.grouping == Grouping::stream
                                      ? std::min(drawing_.rows.size(), most_stream_rows)
                                      : drawing_.rows.size();
        for (std::size_t index = 0; index < shown; ++index) {
            draw_row(drawing_.rows[index]);
        }
        if (shown < drawing_.rows.size()) {
            line(padded("", label_width_) +
                 say("timeline.more_streams", {{"count", std::to_string(drawing_.rows.size() - shown)}}));
        }
    }

    void draw_row(const Row& row) {
        std::size_t operations = 0;
        for (const Lane& lane : row.lanes) {
            operations += lane.size();
        }
        if (operations * 2 > columns_.count()) {
            draw_cells(row.label, busy_cells(row));
            return;
        }
        std::string label = row.label;
        for (const Lane& lane : row.lanes) {
            draw_cells(label, operation_cells(lane));
            label.clear();
        }
    }

    // A row in which operations can be told apart.
    Cells operation_cells(const Lane& lane) {
        Cells cells(columns_.count());
        const std::vector<Load> loads = loads_of(lane);
        for (std::size_t column = 0; column < loads.size(); ++column) {
            const Load& load = loads[column];
            if (load.starts > 1) {
                cells[column] = shade(load.busy);
            } else if (load.starts == 1) {
                cells[column] = {std::string(1, letter_of(*load.shown)), color_of(*load.shown)};
            } else if (2 * load.busy >= columns_.per_column()) {
                cells[column] = {std::string(chars_.fill), color_of(*load.shown)};
            }
        }
        return cells;
    }

    std::vector<Load> loads_of(const Lane& lane) const {
        std::vector<Load> loads(columns_.count());
        for (const std::size_t index : lane) {
            const device::Operation& operation = drawing_.trace.operations[index];
            bool first = true;
            columns_.visit(operation.start, operation.end, [&](std::size_t column, std::int64_t busy) {
                Load& load = loads[column];
                load.busy += busy;
                if (first || (load.starts == 0 && busy > load.shown_busy)) {
                    load.shown = &operation;
                    load.shown_busy = busy;
                }
                load.starts += first ? 1 : 0;
                first = false;
            });
        }
        return loads;
    }

    // A row with too many operations: how busy it is in each column.
    Cells busy_cells(const Row& row) {
        device::Trace only;
        for (const Lane& lane : row.lanes) {
            for (const std::size_t index : lane) {
                only.operations.push_back(drawing_.trace.operations[index]);
            }
        }
        std::vector<std::int64_t> busy(columns_.count());
        const Kinds every_kind({std::begin(kinds_in_order), std::end(kinds_in_order)});
        for (const Interval& interval : busy_intervals(only, every_kind)) {
            columns_.visit(interval.start, interval.end,
                           [&](std::size_t column, std::int64_t part) { busy[column] += part; });
        }
        Cells cells;
        for (const std::int64_t part : busy) {
            cells.push_back(part > 0 ? shade(part) : Cell{});
        }
        return cells;
    }

    Cell shade(std::int64_t busy) {
        shaded_ = true;
        const std::int64_t quarter = (4 * busy + columns_.per_column() - 1) / columns_.per_column();
        return {std::string(chars_.shades[std::clamp<std::int64_t>(quarter, 1, 4) - 1]), std::nullopt};
    }

    char letter_of(const device::Operation& operation) {
        if (options_.grouping == Grouping::stream) {
            kinds_shown_ = true;
            return kind_letter(operation.kind);
        }
        streams_shown_.insert(operation.stream);
        return stream_letter(operation.stream);
    }

    std::size_t color_of(const device::Operation& operation) const {
        return options_.grouping == Grouping::engine ? operation.stream : static_cast<std::size_t>(operation.kind);
    }

    void draw_host() {
        std::vector<std::map<std::size_t, std::int64_t>> inside(columns_.count());
        for (const auto& call : drawing_.trace.host_calls) {
            const auto found = std::find_if(calls_.begin(), calls_.end(),
                                            [&](const CallTotal& total) { return total.name == call.name; });
            if (found == calls_.end()) {
                continue;
            }
            const auto letter = static_cast<std::size_t>(found - calls_.begin());
            columns_.visit(call.start, call.end,
                           [&](std::size_t column, std::int64_t part) { inside[column][letter] += part; });
        }
        Cells cells;
        for (const auto& parts : inside) {
            cells.push_back(host_cell(parts));
        }
        draw_cells(say("timeline.host"), cells);
    }

    // The call in which the host spent most of this column, if it was in calls for half of it.
    Cell host_cell(const std::map<std::size_t, std::int64_t>& parts) const {
        std::int64_t all = 0;
        std::pair<std::int64_t, std::size_t> longest{-1, 0};
        for (const auto& [letter, part] : parts) {
            all += part;
            if (part > longest.first) {
                longest = {part, letter};
            }
        }
        return 2 * all >= columns_.per_column() ? Cell{std::string(1, host_letter(longest.second)), std::nullopt}
                                                : Cell{};
    }

    static char host_letter(std::size_t index) { return static_cast<char>('a' + index); }

    void draw_cells(const std::string& label, const Cells& cells) {
        std::string row = padded(label, label_width_);
        std::size_t end = cells.size();
        while (end > 0 && cells[end - 1].glyph == " ") {
            --end;
        }
        std::optional<std::size_t> current;
        for (std::size_t column = 0; column < end; ++column) {
            const std::optional<std::size_t> wanted = options_.color ? cells[column].color : std::nullopt;
            if (wanted != current) {
                row += current ? color_end : "";
                row += wanted ? colors[*wanted % std::size(colors)] : "";
                current = wanted;
            }
            row += cells[column].glyph;
        }
        line(row + std::string(current ? color_end : ""));
    }

    void draw_legend() {
        if (!streams_shown_.empty()) {
            wrapped(say("timeline.legend.streams", {{"streams", stream_names()}}));
        }
        if (kinds_shown_) {
            wrapped(say("timeline.legend.kinds"));
        }
        if (shaded_) {
            std::string shades;
            for (const std::string_view shade : chars_.shades) {
                shades += (shades.empty() ? "" : " ") + std::string(shade);
            }
            wrapped(say("timeline.legend.shades", {{"shades", shades}}));
        }
        draw_host_legend();
    }

    // "0, 1, 9, a = 10"; the first of many.
    std::string stream_names() const {
        constexpr std::size_t most = 12;
        std::string names;
        std::size_t count = 0;
        for (const std::uint32_t stream : streams_shown_) {
            if (count++ == most) {
                return names + ", ...";
            }
            const std::string number = std::to_string(stream);
            const std::string letter(1, stream_letter(stream));
            names += (names.empty() ? "" : ", ") + (letter == number ? number : letter + " = " + number);
        }
        return names;
    }

    // As many calls on a line as fit.
    void draw_host_legend() {
        if (calls_.empty() || drawing_.trace.operations.empty()) {
            return;
        }
        const std::string separator = say("timeline.legend.host_separator");
        std::string current = say("timeline.legend.host", {{"calls", host_call_text(0)}});
        std::string indent;
        for (std::size_t index = 1; index < calls_.size(); ++index) {
            const std::string more = separator + host_call_text(index);
            if (columns(indent) + columns(current) + columns(more) <= width_) {
                current += more;
                continue;
            }
            wrapped(current, indent);
            indent = "  ";
            current = host_call_text(index);
        }
        wrapped(current, indent);
    }

    std::string host_call_text(std::size_t index) const {
        const CallTotal& call = calls_[index];
        return say("timeline.legend.host_call", {{"letter", std::string(1, host_letter(index))},
                                                 {"call", printable(call.name)},
                                                 {"count", std::to_string(call.calls)},
                                                 {"time", time_text(call.time, !options_.unicode)}});
    }

    const TerminalOptions& options_;
    const Charset& chars_;
    std::size_t width_;
    Drawing drawing_;
    std::vector<CallTotal> calls_;
    std::size_t label_width_;
    Columns columns_;
    std::string out_;
    std::set<std::uint32_t> streams_shown_;
    bool kinds_shown_ = false;
    bool shaded_ = false;
};

}  // namespace

std::string render_terminal(const device::Trace& trace, const TerminalOptions& options) {
    return Picture(trace, options).text();
}

}  // namespace timeline
