#include "timeline/text_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace timeline {
namespace {

constexpr char32_t replacement = 0xFFFD;

struct Character {
    char32_t code = replacement;
    std::size_t bytes = 1;
};

bool continues(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

std::size_t length_after(unsigned char first) {
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first < 0xE0) {
        return 2;
    }
    if (first >= 0xE0 && first < 0xF0) {
        return 3;
    }
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// The first character of `text`, which is not empty; U+FFFD and one byte where it is no UTF-8.
Character first_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = length_after(first);
    if (length == 0 || length > text.size()) {
        return {};
    }
    char32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
    for (std::size_t at = 1; at < length; ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (!continues(byte)) {
            return {};
        }
        code = (code << 6) | (byte & 0x3FU);
    }
    constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < smallest[length] || surrogate || code > 0x10FFFF) {
        return {};
    }
    return {code, length};
}

struct CodeRange {
    char32_t first;
    char32_t last;
};

// Unicode's East Asian Width W and F (UAX #11), by block.
constexpr CodeRange wide[] = {{0x1100, 0x115F},  {0x2E80, 0x303E}, {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},
                              {0xA960, 0xA97F},  {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                              {0xFF01, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF},
                              {0x20000, 0x3FFFD}};

bool is_wide(char32_t code) {
    return std::any_of(std::begin(wide), std::end(wide),
                       [&](const CodeRange& range) { return range.first <= code && code <= range.last; });
}

// C0 and C1 controls, and U+FFFE and U+FFFF, which XML does not allow.
bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xFFFE || code == 0xFFFF;
}

}  // namespace

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    while (!text.empty()) {
        const Character character = first_character(text);
        count += is_wide(character.code) ? 2 : 1;
        text.remove_prefix(character.bytes);
    }
    return count;
}

std::string padded(std::string text, std::size_t width) {
    const std::size_t used = columns(text);
    return used < width ? text + std::string(width - used, ' ') : text;
}

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const Character character = first_character(text);
        if (character.code == replacement || is_control(character.code)) {
            result += "\xEF\xBF\xBD";
        } else {
            result += text.substr(0, character.bytes);
        }
        text.remove_prefix(character.bytes);
    }
    return result;
}

}  // namespace timeline
