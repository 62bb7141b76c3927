#include "simulator/launch_syntax/tokens.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace simulator {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool starts_identifier(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || byte >= 0x80;
}

bool continues_identifier(char c) {
    return starts_identifier(c) || is_digit(c);
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> choices) {
    return std::find(choices.begin(), choices.end(), text) != choices.end();
}

class Tokenizer {
public:
    explicit Tokenizer(std::string_view source) : source_(source) {}

    TokenizedSource run() {
        while (skip_blank(), !at_end()) {
            if (line_start_ && peek() == '#') {
                read_directive();
            } else {
                line_start_ = false;
                result_.tokens.push_back(read_token());
            }
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] bool at_end() const { return position_ >= source_.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
    }
    [[nodiscard]] bool next_is(std::string_view text) const { return source_.substr(position_, text.size()) == text; }

    // The length of a backslash and the line end behind it, 0 when there is none.
    [[nodiscard]] std::size_t splice_length() const {
        if (next_is("\\\n")) {
            return 2;
        }
        return next_is("\\\r\n") ? 3 : 0;
    }

    void skip_line_comment() {
        while (!at_end() && peek() != '\n') {
            position_ += std::max<std::size_t>(splice_length(), 1);
        }
    }

    void skip_block_comment() {
        const std::size_t close = source_.find("*/", position_ + 2);
        position_ = close == std::string_view::npos ? source_.size() : close + 2;
    }

    // White space that stays within the logical line. A comment is one blank, whatever it spans.
    bool skip_blank_within_line() {
        if (const std::size_t splice = splice_length(); splice > 0) {
            position_ += splice;
        } else if (next_is("//")) {
            skip_line_comment();
        } else if (next_is("/*")) {
            skip_block_comment();
        } else if (is_one_of(source_.substr(position_, 1), {" ", "\t", "\r", "\v", "\f"})) {
            ++position_;
        } else {
            return false;
        }
        return true;
    }

    void skip_blank() {
        while (!at_end()) {
            if (peek() == '\n') {
                line_start_ = true;
                ++position_;
            } else if (!skip_blank_within_line()) {
                return;
            }
        }
    }

    // The next token of a directive, nothing at the end of its line.
    std::optional<Token> read_directive_token() {
        while (!at_end() && peek() != '\n') {
            if (!skip_blank_within_line()) {
                return read_token();
            }
        }
        return std::nullopt;
    }

    // Quotes in `#error don't` are no literals, so such a line is not read as tokens.
    void skip_directive_line() {
        while (!at_end() && peek() != '\n') {
            if (!skip_blank_within_line()) {
                ++position_;
            }
        }
    }

    void read_directive() {
        ++position_;
        const std::optional<Token> name = read_directive_token();
        if (name && name->is("define")) {
            read_definition();
        } else if (name && name->is("if") && next_condition_is_false()) {
            skip_group();
        } else if (name && name->is("include")) {
            read_include();
        } else if (name) {
            skip_directive_line();
        }
    }

    void read_include() {
        const auto name = read_directive_token();
        if (name && name->text.size() > 2 && name->text.starts_with('"') && name->text.ends_with('"')) {
            result_.quoted_includes.push_back(name->text.substr(1, name->text.size() - 2));
        }
        skip_directive_line();
    }

    void read_definition() {
        MacroBody macro;
        if (const auto name = read_directive_token()) {
            macro.name = name->text;
        }
        while (const auto token = read_directive_token()) {
            macro.tokens.push_back(*token);
        }
        result_.macros.push_back(std::move(macro));
    }

    bool next_condition_is_false() {
        const auto value = read_directive_token();
        return value && is_one_of(value->text, {"0", "false"}) && !read_directive_token();
    }

    // Behind `#if 0`: on to the #else, #elif or #endif that belongs to it.
    void skip_group() {
        for (int depth = 1; skip_blank(), !at_end();) {
            if (!line_start_ || peek() != '#') {
                line_start_ = false;
                read_token();
                continue;
            }
            ++position_;
            const auto name = read_directive_token();
            const std::string_view directive = name ? name->text : std::string_view();
            skip_directive_line();
            depth += is_one_of(directive, {"if", "ifdef", "ifndef"}) ? 1 : 0;
            depth -= directive == "endif" ? 1 : 0;
            if (depth == 0 || (depth == 1 && is_one_of(directive, {"else", "elif", "elifdef", "elifndef"}))) {
                return;
            }
        }
    }

    Token token_from(std::size_t start, TokenKind kind) const {
        return {kind, source_.substr(start, position_ - start), start};
    }

    // Reads one token; at least one byte is consumed.
    Token read_token() {
        const std::size_t start = position_;
        if (starts_identifier(peek())) {
            return read_identifier_or_literal(start);
        }
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
            skip_number();
            return token_from(start, TokenKind::number);
        }
        if (peek() == '"' || peek() == '\'') {
            skip_quoted(peek());
            return token_from(start, TokenKind::literal);
        }
        position_ += punctuator_length();
        return token_from(start, TokenKind::punctuator);
    }

    Token read_identifier_or_literal(std::size_t start) {
        while (!at_end() && continues_identifier(peek())) {
            ++position_;
        }
        const std::string_view text = source_.substr(start, position_ - start);
        if (peek() == '"' && is_one_of(text, {"R", "LR", "uR", "UR", "u8R"})) {
            skip_raw_string();
            return token_from(start, TokenKind::literal);
        }
        if ((peek() == '"' || peek() == '\'') && is_one_of(text, {"L", "u", "U", "u8"})) {
            skip_quoted(peek());
            return token_from(start, TokenKind::literal);
        }
        return token_from(start, TokenKind::identifier);
    }

    // A preprocessing number: 1'000'000, 0x1p-3, 1.5e+3f.
    void skip_number() {
        char previous = '\0';
        while (!at_end()) {
            const char c = peek();
            const bool separator = c == '\'' && continues_identifier(peek(1));
            const bool sign =
                (c == '+' || c == '-') && std::string_view("eEpP").find(previous) != std::string_view::npos;
            if (!continues_identifier(c) && c != '.' && !separator && !sign) {
                return;
            }
            previous = c;
            ++position_;
        }
    }

    void skip_quoted(char quote) {
        ++position_;
        while (!at_end() && peek() != '\n') {
            const char c = peek();
            if (const std::size_t splice = splice_length(); splice > 0) {
                position_ += splice;
            } else if (c == '\\' && peek(1) != '\n') {
                position_ = std::min(position_ + 2, source_.size());
            } else {
                ++position_;
                if (c == quote) {
                    return;
                }
            }
        }
    }

    void skip_raw_string() {
        const std::size_t open = source_.find_first_of("( )\\\t\n", position_);
        if (open == std::string_view::npos || source_[open] != '(') {
            skip_quoted('"');
            return;
        }
        const std::string close = ")" + std::string(source_.substr(position_ + 1, open - position_ - 1)) + "\"";
        const std::size_t end = source_.find(close, open);
        position_ = end == std::string_view::npos ? source_.size() : end + close.size();
    }

    [[nodiscard]] std::size_t punctuator_length() const {
        if (peek() == '<') {
            const std::size_t after = source_.find_first_not_of('<', position_);
            return (after == std::string_view::npos ? source_.size() : after) - position_;
        }
        return next_is("::") || next_is("->") ? 2 : 1;
    }

    std::string_view source_;
    std::size_t position_ = 0;
    bool line_start_ = true;
    TokenizedSource result_;
};

}  // namespace

TokenizedSource tokenize(std::string_view source) {
    return Tokenizer(source).run();
}

}  // namespace simulator
