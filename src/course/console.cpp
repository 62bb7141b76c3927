#include "course/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "timeline/text_columns.hpp"

namespace course {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

const char* code(Style style) {
    switch (style) {
        case Style::bold: return "1";
        case Style::dim: return "2";
        case Style::red: return "31";
        case Style::green: return "32";
        case Style::yellow: return "33";
        case Style::plain: break;
    }
    return "0";
}

std::size_t terminal_width() {
    winsize size{};
    constexpr std::size_t narrowest = 40;
    constexpr std::size_t widest = 120;  // longer lines are hard to read
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return std::clamp<std::size_t>(size.ws_col, narrowest, widest);
    }
    return Console{}.width;
}

// The bytes of the first character of UTF-8 text.
std::string_view first_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    return text.substr(0, lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
}

bool is_wide(std::string_view character) { return timeline::columns(character) == 2; }

// No line starts with these.
bool is_closing_sign(std::string_view character) {
    constexpr std::string_view signs[] = {"，", "。", "；", "：", "、", "？", "！", "）", "》", "”", "’"};
    return std::find(std::begin(signs), std::end(signs), character) != std::end(signs);
}

// No line ends with these.
bool is_opening_sign(std::string_view character) {
    constexpr std::string_view signs[] = {"（", "《", "“", "‘"};
    return std::find(std::begin(signs), std::end(signs), character) != std::end(signs);
}

// The smallest pieces that a line may be broken between: words with their spaces, single Chinese characters.
std::vector<std::string> pieces_of(std::string_view text) {
    std::vector<std::string> pieces;
    bool open = false;   // the last piece may still grow by narrow characters
    bool glued = false;  // it must grow: a line may not end here
    while (!text.empty()) {
        const std::string_view character = first_character(text);
        text.remove_prefix(character.size());
        const bool closes = is_closing_sign(character) && !pieces.empty();
        if (closes || glued || (open && !is_wide(character))) {
            pieces.back() += character;
        } else {
            pieces.emplace_back(character);
        }
        glued = is_opening_sign(character);
        open = glued || (character != " " && !is_wide(character));
    }
    return pieces;
}

std::string without_trailing_spaces(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

}  // namespace

std::string Console::styled(Style style, std::string_view text) const {
    if (!colour || style == Style::plain) {
        return std::string(text);
    }
    return std::string("\033[") + code(style) + "m" + std::string(text) + "\033[0m";
}

Console standard_output() {
    const bool colour = isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
    return {colour, terminal_width()};
}

namespace {

std::string wrapped_line(std::string_view text, std::size_t width, std::size_t indent) {
    std::string result;
    std::string line;
    std::size_t used = indent;  // the caller has already written that much
    for (const std::string& piece : pieces_of(text)) {
        const std::size_t columns = timeline::columns(without_trailing_spaces(piece));
        if (used + columns > width && !line.empty()) {
            result += without_trailing_spaces(line) + "\n" + std::string(indent, ' ');
            line.clear();
            used = indent;
        }
        line += piece;
        used += timeline::columns(piece);
    }
    return result + without_trailing_spaces(line);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    text = text.substr(0, text.find_last_not_of('\n') + 1);
    std::string result;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        result += wrapped_line(text.substr(0, end), width, indent) + "\n";
        text.remove_prefix(end + 1);
        if (text.front() != '\n') {  // an empty line stays empty
            result += std::string(indent, ' ');
        }
    }
    return result + wrapped_line(text, width, indent);
}

}  // namespace course
