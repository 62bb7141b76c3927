// Splits C++ source text into tokens: enough of C++ to know comments, literals, directives and brackets.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace simulator {

enum class TokenKind { identifier, number, literal, punctuator };

// A token of the source; `text` points into the source. A run of three or more '<' is one token, a '>' always is its
// own, since only the context tells the end of a launch configuration from the end of nested template arguments.
struct Token {
    TokenKind kind = TokenKind::punctuator;
    std::string_view text;
    std::size_t offset = 0;  // bytes from the start of the source
    [[nodiscard]] bool is(std::string_view expected) const { return text == expected; }
    [[nodiscard]] std::size_t end() const { return offset + text.size(); }
};

// The replacement text of a `#define`.
struct MacroBody {
    std::string_view name;
    std::vector<Token> tokens;
};

struct TokenizedSource {
    std::vector<Token> tokens;  // of the program's text, outside directives and `#if 0` groups
    std::vector<MacroBody> macros;
    std::vector<std::string_view> quoted_includes;  // NAME of each #include "NAME"
};

// Never fails: an unterminated literal ends with its line, an unterminated comment with the text.
TokenizedSource tokenize(std::string_view source);

}  // namespace simulator
