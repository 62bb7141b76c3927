// How the terminal in front of us wants its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace course {

enum class Style { plain, bold, dim, red, green, yellow };

struct Console {
    bool colour = false;
    std::size_t width = 80;  // columns

    std::string styled(Style style, std::string_view text) const;
};

// Of standard output. No colour when it is not a terminal, when NO_COLOR is set, or when TERM is "dumb".
Console standard_output();

// `text` in lines of at most `width` columns, each line after the first indented by `indent` spaces.
// Breaks at spaces, and between Chinese characters; a longer word stays whole. Line ends within the text are kept, those at
// its end are not.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace course
