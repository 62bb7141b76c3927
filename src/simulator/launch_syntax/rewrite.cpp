#include "simulator/launch_syntax/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "simulator/launch_syntax/tokens.hpp"

namespace simulator {
namespace {

constexpr std::string_view launch_open = "<<<";
constexpr int fewest_configuration_arguments = 2;
constexpr int most_configuration_arguments = 4;

bool is_any(const Token& token, std::initializer_list<std::string_view> choices) {
    return std::find(choices.begin(), choices.end(), token.text) != choices.end();
}

bool opens(const Token& token) {
    return is_any(token, {"(", "[", "{"});
}

bool closes(const Token& token) {
    return is_any(token, {")", "]", "}"});
}

// Words after which an expression starts: they are never a part of a kernel's name.
bool is_keyword_before_expression(const Token& token) {
    return is_any(token, {"return",    "if",       "else",     "while", "for",    "switch",  "do",       "case",
                          "co_return", "co_await", "co_yield", "throw", "sizeof", "alignof", "decltype", "noexcept",
                          "constexpr", "and",      "or",       "not",   "new",    "delete"});
}

// A change of the source: `length` bytes at `offset` become `replacement`.
struct Edit {
    std::size_t offset = 0;
    std::size_t length = 0;
    std::string replacement;
};

// How many pieces the commas outside brackets make. Where a '<' may be a comparison or open template arguments, both
// readings are counted.
struct ArgumentCount {
    int fewest = 0;
    int most = 0;
    int open_angles = 0;  // at the end: each a comparison, or template arguments that are not closed
};

// The parts of a launch, as indices into the tokens.
struct Launch {
    std::size_t kernel = 0;     // the first token of the kernel's name
    std::size_t open = 0;       // <<<
    std::size_t close = 0;      // the first of the three '>'
    std::size_t arguments = 0;  // ( before the kernel's arguments
};

// NAME : WIDTH; or with a comma or an initializer behind it, where no ?: and no label of a switch goes on.
bool has_bit_fields(const std::vector<Token>& tokens) {
    bool other_colon = false;
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
        if (is_any(tokens[i], {";", "{", "}"})) {
            other_colon = false;
        }
        other_colon = other_colon || is_any(tokens[i], {"?", "case", "default"});
        const bool name_and_width = tokens[i].kind == TokenKind::identifier && tokens[i + 1].is(":") &&
                                    (tokens[i + 2].kind == TokenKind::number ||
                                     tokens[i + 2].kind == TokenKind::identifier);
        if (name_and_width && !other_colon && is_any(tokens[i + 3], {";", ",", "="})) {
            return true;
        }
    }
    return false;
}

class Rewriter {
public:
    Rewriter(std::string_view source, std::string_view file_name)
        : source_(source), file_name_(file_name), parsed_(tokenize(source)), tokens_(parsed_.tokens) {}

    RewriteResult run() {
        check_macros();
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            track_scope(i);
            if (tokens_[i].is(launch_open)) {
                rewrite_launch(i);
            } else if (tokens_[i].text.size() > launch_open.size() && tokens_[i].text.starts_with(launch_open)) {
                fail(tokens_[i], "expected '<<<' behind a kernel's name, found '{}' (an unresolved merge conflict?)",
                     tokens_[i].text);
            } else if (is_noinline(tokens_, i)) {
                replace(tokens_[i], noinline_attribute);
            } else if (tokens_[i].is("__shared__") && i >= declaration_end_) {
                rewrite_shared_memory(i);
            } else if (is_any(tokens_[i], {"__device__", "__constant__"}) && i >= declaration_end_ &&
                       at_namespace_scope()) {
                announce_device_variables(i);
            } else if (tokens_[i].is("__global__") && at_namespace_scope()) {
                announce_kernel(i);
            } else if (tokens_[i].is("(") || tokens_[i].is("reinterpret_cast")) {
                rewrite_kernel_pointer(i);
            }
        }
        return finish();
    }

private:
    template <class... Values>
    void fail(std::size_t offset, fmt::format_string<Values...> format, Values&&... values) {
        const std::string_view before = source_.substr(0, offset);
        const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
        result_.errors.push_back({static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                                  static_cast<int>(offset - line_start) + 1,
                                  fmt::format(format, std::forward<Values>(values)...)});
    }

    template <class... Values>
    void fail(const Token& token, fmt::format_string<Values...> format, Values&&... values) {
        fail(token.offset, format, std::forward<Values>(values)...);
    }

    [[nodiscard]] std::string found(std::size_t index) const {
        return index < tokens_.size() ? fmt::format("'{}'", tokens_[index].text) : "the end of the file";
    }

    // The source from one token through another, as far as it stands on one line.
    [[nodiscard]] std::string_view first_line_from(std::size_t first, std::size_t last) const {
        if (first >= tokens_.size()) {
            return {};
        }
        const std::size_t begin = tokens_[first].offset;
        const std::size_t end = last < tokens_.size() ? tokens_[last].end() : source_.size();
        const std::string_view text = source_.substr(begin, end > begin ? end - begin : 0);
        return text.substr(0, text.find('\n'));
    }

    void replace(const Token& token, std::string text) {
        edits_.push_back({token.offset, token.text.size(), std::move(text)});
    }
    void insert(std::size_t offset, std::string text) { edits_.push_back({offset, 0, std::move(text)}); }

    // CUDA's __noinline__ cannot be a macro: libstdc++ 13 writes __attribute__((__noinline__)).
    static constexpr const char* noinline_attribute = "__attribute__((noinline))";
    static bool is_noinline(const std::vector<Token>& tokens, std::size_t index) {
        return tokens[index].is("__noinline__") &&
               !(index > 0 && (tokens[index - 1].is("(") || tokens[index - 1].is(",")));
    }

    // The preprocessor pastes a macro's text into the program after this pass has run, so that what is in it is rewritten
    // where it stands. That takes a launch that is complete there.
    void check_macros() {
        for (const MacroBody& macro : parsed_.macros) {
            const auto& body = macro.tokens;
            const auto launch = std::find_if(body.begin(), body.end(), [](const Token& t) { return t.is(launch_open); });
            if (launch != body.end() && !(launch != body.begin() && std::prev(launch)->is("operator"))) {
                Rewriter inside(source_, file_name_, macro);
                if (!inside.rewrite_macro()) {
                    fail(*launch,
                         "expected the whole kernel launch inside a macro, found a part of one in '{}': write it in a "
                         "function instead",
                         macro.name);
                    continue;
                }
                edits_.insert(edits_.end(), inside.edits_.begin(), inside.edits_.end());
            }
            for (std::size_t i = 0; i < body.size(); ++i) {
                if (is_noinline(body, i)) {
                    replace(body[i], noinline_attribute);
                }
            }
            const auto is = [](const char* text) { return [text](const Token& token) { return token.is(text); }; };
            const auto shared = std::find_if(body.begin(), body.end(), is("__shared__"));
            if (shared != body.end() && std::any_of(body.begin(), body.end(), is("extern"))) {
                fail(*shared,
                     "expected no dynamic shared memory inside a macro, found '__shared__' in '{}': declare it in the "
                     "kernel instead",
                     macro.name);
            }
        }
    }

    // The replacement text of one macro; its parameters are names that are not known yet.
    Rewriter(std::string_view source, std::string_view file_name, const MacroBody& macro)
        : source_(source), file_name_(file_name), tokens_(parsed_.tokens) {
        std::size_t begin = 0;
        const auto& all = macro.tokens;
        const char* const name_end = macro.name.data() + macro.name.size();
        if (!all.empty() && all.front().is("(") && all.front().text.data() == name_end) {
            for (; begin < all.size() && !all[begin].is(")"); ++begin) {
                if (all[begin].kind == TokenKind::identifier) {
                    macro_parameters_.push_back(all[begin].text);
                }
            }
            ++begin;
        }
        parsed_.tokens.assign(all.begin() + static_cast<std::ptrdiff_t>(std::min(begin, all.size())), all.end());
    }

    bool rewrite_macro() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].is(launch_open)) {
                rewrite_launch(i);
            }
        }
        return result_.errors.empty();
    }

    // Keeps the open braces that are not those of a namespace or of extern "C".
    void track_scope(std::size_t index) {
        if (tokens_[index].is("{")) {
            scopes_.push_back(opens_namespace(index));
        } else if (tokens_[index].is("}") && !scopes_.empty()) {
            scopes_.pop_back();
        }
    }

    [[nodiscard]] bool opens_namespace(std::size_t brace) const {
        if (brace >= 2 && tokens_[brace - 1].kind == TokenKind::literal) {
            return tokens_[brace - 2].is("extern");
        }
        std::size_t first = brace;
        while (first > 0 && (tokens_[first - 1].kind == TokenKind::identifier || tokens_[first - 1].is("::"))) {
            --first;
            if (tokens_[first].is("namespace")) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool at_namespace_scope() const {
        return std::find(scopes_.begin(), scopes_.end(), false) == scopes_.end();
    }

    // The index of the bracket that closes the one at `open`, nothing when the text is unbalanced.
    [[nodiscard]] std::optional<std::size_t> matching_close(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < tokens_.size(); ++i) {
            depth += opens(tokens_[i]) ? 1 : 0;
            depth -= closes(tokens_[i]) ? 1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::size_t> matching_open(std::size_t close) const {
        int depth = 0;
        for (std::size_t i = close + 1; i-- > 0;) {
            depth += closes(tokens_[i]) ? 1 : 0;
            depth -= opens(tokens_[i]) ? 1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return std::nullopt;
    }

    // From a '>' back to the '<' of its template argument list.
    [[nodiscard]] std::optional<std::size_t> matching_angle(std::size_t close) const {
        int depth = 0;
        for (std::size_t i = close + 1; i-- > 0;) {
            const Token& token = tokens_[i];
            if (closes(token)) {
                const auto open = matching_open(i);
                if (!open) {
                    return std::nullopt;
                }
                i = *open;
            } else if (opens(token) || token.is(";")) {
                return std::nullopt;
            }
            depth += token.is(">") ? 1 : 0;
            depth -= token.is("<") ? 1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return std::nullopt;
    }

    // The first token of the name, or of the expression, that ends before `end`: k, ns::k<int, 4>, (pick()), table[2].
    [[nodiscard]] std::optional<std::size_t> kernel_start(std::size_t end) const {
        std::size_t first = end;
        while (first > 0) {
            const auto part = part_start(first - 1);
            if (!part) {
                return std::nullopt;
            }
            first = leading_qualifier(*part);
            if (first == 0) {
                break;
            }
            const Token& before = tokens_[first - 1];
            if (is_any(before, {"::", ".", "->"})) {
                --first;
            } else if (!continues_call_or_index(*part, first)) {
                break;
            }
        }
        return first == end ? std::nullopt : std::optional(first);
    }

    // One part of a name: an identifier with its template arguments, or a bracketed group.
    [[nodiscard]] std::optional<std::size_t> part_start(std::size_t last) const {
        const Token& token = tokens_[last];
        if (token.kind == TokenKind::identifier) {
            return is_keyword_before_expression(token) ? std::nullopt : std::optional(last);
        }
        if (is_any(token, {")", "]"})) {
            return matching_open(last);
        }
        if (!token.is(">")) {
            return std::nullopt;
        }
        const auto angle = matching_angle(last);
        if (!angle || *angle == 0 || tokens_[*angle - 1].kind != TokenKind::identifier) {
            return std::nullopt;
        }
        return *angle - 1;
    }

    // Takes in the `::` of ::k and the `template` of a.template k<int>.
    [[nodiscard]] std::size_t leading_qualifier(std::size_t first) const {
        if (first > 0 && tokens_[first - 1].is("template")) {
            --first;
        }
        const bool global = first > 0 && tokens_[first - 1].is("::") &&
                            (first == 1 || is_keyword_before_expression(tokens_[first - 2]) ||
                             !(tokens_[first - 2].kind == TokenKind::identifier || tokens_[first - 2].is(">")));
        return global ? first - 1 : first;
    }

    // Whether the group at `part` is the argument list or index of an expression that ends just before it.
    [[nodiscard]] bool continues_call_or_index(std::size_t part, std::size_t first) const {
        if (!is_any(tokens_[part], {"(", "["}) || first != part) {
            return false;
        }
        const Token& before = tokens_[part - 1];
        if (before.is(")")) {  // not the condition of `if (x) (k)<<<...>>>`
            const auto open = matching_open(part - 1);
            return open && !(*open > 0 && is_keyword_before_expression(tokens_[*open - 1]));
        }
        return before.is("]") || (before.kind == TokenKind::identifier && !is_keyword_before_expression(before));
    }

    // The last three of a row of '>' that starts at `index` (>>> also ends nested template arguments), if it has three.
    [[nodiscard]] std::optional<std::size_t> triple_angle(std::size_t index) const {
        std::size_t end = index;
        while (end < tokens_.size() && tokens_[end].is(">") &&
               (end == index || tokens_[end].offset == tokens_[end - 1].end())) {
            ++end;
        }
        return end >= index + 3 ? std::optional(end - 3) : std::nullopt;
    }

    [[nodiscard]] ArgumentCount count_arguments(std::size_t begin, std::size_t end) const {
        if (begin == end) {
            return {};
        }
        ArgumentCount count{1, 1, 0};
        for (std::size_t i = begin; i < end; ++i) {
            if (opens(tokens_[i])) {
                i = matching_close(i).value_or(end);
            } else if (tokens_[i].is("<") && i > begin && tokens_[i - 1].kind == TokenKind::identifier) {
                ++count.open_angles;
            } else if (tokens_[i].is(">") && count.open_angles > 0) {
                --count.open_angles;
            } else if (tokens_[i].is(",")) {
                ++count.most;
                count.fewest += count.open_angles == 0 ? 1 : 0;
            }
        }
        return count;
    }

    static bool plausible(const ArgumentCount& count) {
        return count.most >= fewest_configuration_arguments && count.fewest <= most_configuration_arguments;
    }

    // Every '>>>' that could end the configuration behind `open`, and where the search for them ended.
    [[nodiscard]] std::pair<std::vector<std::size_t>, std::size_t> possible_closes(std::size_t open) const {
        std::vector<std::size_t> closes_found;
        std::size_t i = open + 1;
        for (; i < tokens_.size(); ++i) {
            if (tokens_[i].is(";") || closes(tokens_[i]) || tokens_[i].text.starts_with(launch_open)) {
                break;
            }
            if (opens(tokens_[i])) {
                i = matching_close(i).value_or(tokens_.size() - 1);
            } else if (const auto close = triple_angle(i)) {
                closes_found.push_back(*close);
                i = *close + 2;
            }
        }
        return {std::move(closes_found), std::min(i, tokens_.size())};
    }

    // The '>>>' that ends the configuration behind `open`; reports what is wrong when there is none. Nested template
    // arguments may end in '>>>' too: the first one that leaves none of them open wins, otherwise the last.
    std::optional<std::size_t> configuration_close(std::size_t open) {
        const auto [possible, stop] = possible_closes(open);
        std::optional<std::size_t> chosen;
        for (const std::size_t close : possible) {
            const ArgumentCount count = count_arguments(open + 1, close);
            if (close + 3 < tokens_.size() && tokens_[close + 3].is("(") && plausible(count)) {
                chosen = close;
                if (count.open_angles == 0) {
                    break;
                }
            }
        }
        if (!chosen) {
            report_configuration(open, possible.empty() ? std::nullopt : std::optional(possible.front()), stop);
        }
        return chosen;
    }

    void report_configuration(std::size_t open, std::optional<std::size_t> close, std::size_t stop) {
        if (!close) {
            fail(tokens_[open], "expected '>>>' to close the launch configuration, found {}", found(stop));
        } else if (!plausible(count_arguments(open + 1, *close))) {
            fail(tokens_[open],
                 "expected 2 to 4 launch configuration arguments (grid, block, shared bytes, stream), found {}",
                 count_arguments(open + 1, *close).fewest);
        } else {
            fail(tokens_[*close], "expected '(' and the kernel's arguments after '>>>', found {}", found(*close + 3));
        }
    }

    void rewrite_launch(std::size_t open) {
        if (open > 0 && tokens_[open - 1].is("operator")) {
            return;  // operator<< with template arguments
        }
        const auto kernel = kernel_start(open);
        if (!kernel) {
            fail(tokens_[open], "expected a kernel's name before '<<<', found {}",
                 open > 0 ? found(open - 1) : "the start of the file");
            return;
        }
        const auto close = configuration_close(open);
        if (!close) {
            return;
        }
        const std::size_t arguments = *close + 3;
        const auto end = matching_close(arguments);
        if (!end || !tokens_[*end].is(")")) {
            fail(tokens_[arguments], "expected ')' to close the kernel's arguments, found {}",
                 found(end.value_or(tokens_.size())));
            return;
        }
        emit_launch({*kernel, open, *close, arguments}, *end);
    }

    void emit_launch(const Launch& launch, std::size_t end) {
        const std::string_view name = kernel_name(launch);
        const bool parameter = std::find(macro_parameters_.begin(), macro_parameters_.end(), name) != macro_parameters_.end();
        insert(tokens_[launch.kernel].offset,
               parameter ? fmt::format("SIMULATOR_KERNEL(#{}, ", name) : fmt::format("SIMULATOR_KERNEL(\"{}\", ", name));
        replace(tokens_[launch.open], ").with(");
        edits_.push_back({tokens_[launch.close].offset, 3, ")"});
        wrap_zeros(launch.arguments, end);
    }

    // The last identifier of the name: what a GPU's trace and the simulated one have in common.
    [[nodiscard]] std::string_view kernel_name(const Launch& launch) const {
        std::size_t last = launch.open - 1;
        if (tokens_[last].is(">")) {
            last = matching_angle(last).value_or(last + 1) - 1;
        }
        if (tokens_[last].kind == TokenKind::identifier) {
            return tokens_[last].text;
        }
        for (std::size_t i = launch.kernel; i < launch.open; ++i) {
            if (tokens_[i].kind == TokenKind::identifier) {
                return tokens_[i].text;
            }
        }
        return "kernel";
    }

    // A literal 0 or NULL is a null pointer only as long as it is a literal: the header needs to know of it.
    void wrap_zeros(std::size_t open, std::size_t close) {
        std::vector<std::size_t> zeros;
        for (std::size_t i = open + 1; i < close; ++i) {
            if (opens(tokens_[i])) {
                i = matching_close(i).value_or(close);
            } else if (tokens_[i].text.starts_with("<")) {
                return;  // its commas may be those of template arguments
            } else if (is_any(tokens_[i], {"0", "NULL"}) && is_any(tokens_[i - 1], {"(", ","}) &&
                       is_any(tokens_[i + 1], {")", ","})) {
                zeros.push_back(i);
            }
        }
        for (const std::size_t zero : zeros) {
            insert(tokens_[zero].offset, "::simulator::Zero(");
            insert(tokens_[zero].end(), ")");
        }
    }

    // The first token of the declaration that holds the token at `index`.
    [[nodiscard]] std::size_t declaration_begin(std::size_t index) const {
        std::size_t begin = index;
        while (begin > declaration_end_ && !is_any(tokens_[begin - 1], {";", "{", "}"}) &&
               !tokens_[begin].is("extern")) {
            --begin;
        }
        return begin;
    }

    void rewrite_shared_memory(std::size_t shared) {
        const std::size_t begin = declaration_begin(shared);
        std::size_t end = shared;
        bool external = false;
        for (end = begin; end < tokens_.size() && !is_any(tokens_[end], {";", "{", "}", "="}); ++end) {
            external = external || tokens_[end].is("extern");
        }
        declaration_end_ = end;
        if (external) {
            rewrite_dynamic_shared_memory(shared, begin, end);
        } else if (!at_namespace_scope()) {
            rewrite_static_shared_memory(shared, begin, end);
        }
    }

    // What __align__(8), decltype(x) and the like look like: parentheses that are not those of a function.
    static bool takes_parentheses(const Token& token) {
        return is_any(token, {"__align__", "alignas", "__attribute__", "decltype", "__declspec"});
    }

    // Words that stand in a declaration and are never its name.
    static bool is_specifier(const Token& token) {
        return is_any(token, {"__shared__", "__device__", "__constant__", "__managed__", "static",   "const",
                              "volatile",   "inline",     "auto",         "void",        "bool",     "char",
                              "short",      "int",        "long",         "signed",      "unsigned", "float",
                              "double",     "struct",     "class",        "typename"});
    }

    // The names that the declaration of variables [begin, end) declares; nothing when it is no such declaration.
    [[nodiscard]] std::vector<std::string_view> declared_names(std::size_t begin, std::size_t end) const {
        std::vector<std::string_view> names;
        std::optional<std::size_t> name;  // the last identifier of this declarator
        bool complete = false;            // its array bounds or its initializer have begun
        int angles = 0;
        const auto add = [&] {
            if (name && !(*name > begin && tokens_[*name - 1].is("::"))) {  // not a class's own, defined here
                names.push_back(tokens_[*name].text);
            }
            name.reset();
            complete = false;
        };
        for (std::size_t i = begin; i < end; ++i) {
            const Token& token = tokens_[i];
            if (opens(token)) {
                if (token.is("(") && !complete && !(i > begin && (takes_parentheses(tokens_[i - 1]) || angles > 0))) {
                    return {};  // a function
                }
                complete = complete || (!token.is("(") && name.has_value());
                i = matching_close(i).value_or(end);
            } else if (token.is("=")) {
                complete = true;
            } else if (token.is(",") && angles == 0) {
                add();
            } else if (!complete && token.is("<")) {
                ++angles;
            } else if (!complete && token.is(">") && angles > 0) {
                --angles;
            } else if (is_any(token, {"operator", "typedef", "using"}) && !complete) {
                return {};
            } else if (token.kind == TokenKind::identifier && !complete && angles == 0 && !is_specifier(token)) {
                name = i;
            }
        }
        add();
        return names;
    }

    // __shared__ T a[N], b;  ->  struct V {T a[N], b;}; static auto& a = ...; static auto& b = ...; ...::enter();
    void rewrite_static_shared_memory(std::size_t shared, std::size_t begin, std::size_t end) {
        const std::vector<std::string_view> names = declared_names(begin, end);
        if (end >= tokens_.size() || !tokens_[end].is(";") || names.empty()) {
            fail(tokens_[shared], "expected '__shared__ TYPE NAME;' without an initializer, found '{}'",
                 first_line_from(shared + 1, end));
            return;
        }
        const std::string type = fmt::format("SimulatorShared{}", shared);
        insert(tokens_[begin].offset, fmt::format("struct {} {{ ", type));
        for (std::size_t i = begin; i < end; ++i) {
            if (is_any(tokens_[i], {"__shared__", "static"})) {
                replace(tokens_[i], "");
            }
        }
        std::string uses = "; };";
        for (const std::string_view name : names) {
            uses += fmt::format(" static auto& {0} = ::simulator::SharedVariables<{1}>::storage.variables.{0};", name,
                                type);
        }
        replace(tokens_[end], fmt::format("{} ::simulator::SharedVariables<{}>::enter();", uses, type));
    }

    // __device__ T a[N], b = 1;  stays, and is followed by an object for each that tells the simulated device of it.
    void announce_device_variables(std::size_t specifier) {
        const std::size_t begin = declaration_begin(specifier);
        std::size_t end = begin;
        bool initialized = false;
        for (; end < tokens_.size() && !tokens_[end].is(";"); ++end) {
            initialized = initialized || tokens_[end].is("=");
            if (is_any(tokens_[end], {"extern", "template", "}"}) || (initialized && end < specifier)) {
                return;
            }
            if (opens(tokens_[end])) {
                if (tokens_[end].is("{") && !initialized && !(end > begin && ends_declarator(end - 1))) {
                    return;
                }
                end = matching_close(end).value_or(tokens_.size() - 1);
            }
        }
        if (end >= tokens_.size()) {
            return;
        }
        std::string announcements;
        for (const std::string_view name : declared_names(begin, end)) {
            announcements +=
                fmt::format(" static const ::simulator::DeviceVariable simulator_variable_{0}({0});", name);
        }
        if (!announcements.empty()) {
            declaration_end_ = end;
            insert(tokens_[end].end(), std::move(announcements));
        }
    }

    // __global__ void k(...) {...}  is followed by an object that tells the simulated device of it, so that it can be
    // launched by its address. Templates have no address; their specializations are announced where they are named.
    void announce_kernel(std::size_t specifier) {
        const std::size_t begin = declaration_begin(specifier);
        std::size_t i = begin;
        std::optional<std::size_t> parameters;
        for (; i < tokens_.size() && !is_any(tokens_[i], {";", "{", "}"}); ++i) {
            if (tokens_[i].is("template")) {
                return;
            }
            if (tokens_[i].is("(")) {
                if (i == begin) {
                    return;  // no name before its parameters
                }
                const bool of_attribute =
                    takes_parentheses(tokens_[i - 1]) || is_any(tokens_[i - 1], {"__launch_bounds__", "noexcept"});
                parameters = parameters || of_attribute ? parameters : std::optional(i);
                i = matching_close(i).value_or(tokens_.size() - 1);
            }
        }
        const bool defined = i < tokens_.size() && tokens_[i].is("{");
        const auto end = defined ? matching_close(i) : std::nullopt;
        if (!end || !parameters || tokens_[*parameters - 1].kind != TokenKind::identifier) {
            return;
        }
        std::size_t name = *parameters - 1;
        while (name > specifier + 1 && tokens_[name - 1].is("::")) {
            name -= 2;
        }
        const std::string_view text =
            source_.substr(tokens_[name].offset, tokens_[*parameters - 1].end() - tokens_[name].offset);
        insert(tokens_[*end].end(),
               fmt::format(" [[maybe_unused]] static const bool simulator_kernel_{} = SIMULATOR_ANNOUNCE_KERNEL({});",
                           tokens_[name].offset, text));
    }

    // (void*)k<T>, (const void*)&k<T>, reinterpret_cast<void*>(k<T>)  ->  ::simulator::kernel_pointer<void*>(k<T>)
    void rewrite_kernel_pointer(std::size_t begin) {
        const bool named = tokens_[begin].is("reinterpret_cast");
        std::size_t i = begin + 1;
        if (named && !(i < tokens_.size() && tokens_[i++].is("<"))) {
            return;
        }
        bool points = false;
        bool nothing = false;
        for (; i < tokens_.size() && is_any(tokens_[i], {"const", "void", "*"}); ++i) {
            nothing = nothing || tokens_[i].is("void");
            points = points || tokens_[i].is("*");
        }
        if (!nothing || !points || i + 1 >= tokens_.size() || !tokens_[i].is(named ? ">" : ")")) {
            return;
        }
        const std::size_t close = i++;
        if (named && !tokens_[i++].is("(")) {
            return;
        }
        const auto end = specialization_end(i);
        if (!end || (named && !tokens_[*end].is(")"))) {
            return;
        }
        if (named) {
            replace(tokens_[begin], "::simulator::kernel_pointer");
        } else {
            replace(tokens_[begin], "::simulator::kernel_pointer<");
            replace(tokens_[close], ">(");
            insert(tokens_[*end - 1].end(), ")");
        }
    }

    // The token behind ns::name<arguments> at `begin`, which a `&` may precede; nothing when something else is there, or
    // goes on behind it.
    [[nodiscard]] std::optional<std::size_t> specialization_end(std::size_t begin) const {
        std::size_t i = begin;
        if (i < tokens_.size() && tokens_[i].is("&")) {
            ++i;
        }
        while (i < tokens_.size() && (tokens_[i].is("::") || tokens_[i].kind == TokenKind::identifier)) {
            ++i;
        }
        if (i == begin || i >= tokens_.size() || !tokens_[i].is("<")) {
            return std::nullopt;
        }
        int depth = 0;
        for (; i < tokens_.size() && !is_any(tokens_[i], {";", "{", "}", ")", "]"}); ++i) {
            if (opens(tokens_[i])) {
                i = matching_close(i).value_or(tokens_.size() - 1);
            }
            depth += tokens_[i].is("<") ? 1 : 0;
            depth -= tokens_[i].is(">") ? 1 : 0;
            if (depth == 0) {
                const bool complete = i + 1 < tokens_.size() && is_any(tokens_[i + 1], {",", ")", ";", "}"});
                return complete ? std::optional(i + 1) : std::nullopt;
            }
        }
        return std::nullopt;
    }

    // A brace behind this token begins an initializer, not a body.
    [[nodiscard]] bool ends_declarator(std::size_t index) const {
        return tokens_[index].is("]") || tokens_[index].kind == TokenKind::identifier;
    }

    // extern __shared__ T name[][N];  ->  auto* name = ::simulator::dynamic_shared_memory<T [N]>();
    void rewrite_dynamic_shared_memory(std::size_t shared, std::size_t begin, std::size_t end) {
        std::size_t bracket = begin;
        while (bracket < end && !is_any(tokens_[bracket], {"[", launch_open})) {
            ++bracket;
        }
        const bool complete = end < tokens_.size() && tokens_[end].is(";") && bracket + 1 < end &&
                              bracket > begin + 2 && tokens_[bracket + 1].is("]") &&
                              tokens_[bracket - 1].kind == TokenKind::identifier && only_array_bounds(bracket, end);
        if (!complete) {
            fail(tokens_[shared], "expected 'extern __shared__ TYPE NAME[];' for dynamic shared memory, found '{}'",
                 first_line_from(shared + 1, end));
            return;
        }
        emit_dynamic_shared_memory(begin, bracket, end);
    }

    [[nodiscard]] bool only_array_bounds(std::size_t bracket, std::size_t end) const {
        while (bracket < end && tokens_[bracket].is("[")) {
            bracket = matching_close(bracket).value_or(end) + 1;
        }
        return bracket == end;
    }

    void emit_dynamic_shared_memory(std::size_t begin, std::size_t bracket, std::size_t end) {
        const std::string name(tokens_[bracket - 1].text);
        // A file's dynamic shared memory is found at each use, a function's once.
        insert(tokens_[begin].offset, at_namespace_scope()
                                          ? "static constexpr ::simulator::DynamicSharedMemory<"
                                          : fmt::format("auto* {} = ::simulator::dynamic_shared_memory<", name));
        for (std::size_t i = begin; i < bracket + 2; ++i) {
            if (is_any(tokens_[i], {"__align__", "alignas", "__attribute__"}) && tokens_[i + 1].is("(")) {
                const std::size_t close = std::min(matching_close(i + 1).value_or(bracket), bracket);
                for (; i < close; ++i) {
                    replace(tokens_[i], "");
                }
                replace(tokens_[i], "");
            } else if (i >= bracket - 1 || is_any(tokens_[i], {"extern", "__shared__", "static"})) {
                replace(tokens_[i], "");
            }
        }
        insert(tokens_[end].offset, at_namespace_scope() ? fmt::format("> {}{{}}", name) : ">()");
    }

    RewriteResult finish() {
        result_.quoted_includes.assign(parsed_.quoted_includes.begin(), parsed_.quoted_includes.end());
        if (!result_.ok()) {
            std::stable_sort(result_.errors.begin(), result_.errors.end(), [](const auto& a, const auto& b) {
                return std::pair(a.line, a.column) < std::pair(b.line, b.column);
            });
            return std::move(result_);
        }
        result_.changed = !edits_.empty();
        result_.bit_fields = has_bit_fields(tokens_);
        result_.text = line_directive() + edited_source();
        return std::move(result_);
    }

    [[nodiscard]] std::string line_directive() const {
        std::string escaped;
        for (const char c : file_name_) {
            escaped += (c == '\\' || c == '"') ? std::string{'\\', c} : std::string{c};
        }
        return fmt::format("#line 1 \"{}\"\n", escaped);
    }

    std::string edited_source() {
        std::stable_sort(edits_.begin(), edits_.end(),
                         [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
        std::string text;
        std::size_t position = 0;
        for (const Edit& edit : edits_) {
            text += source_.substr(position, edit.offset - position);
            text += edit.replacement;
            position = edit.offset + edit.length;
        }
        return text += source_.substr(position);
    }

    std::string_view source_;
    std::string_view file_name_;
    TokenizedSource parsed_;
    const std::vector<Token>& tokens_;
    std::size_t declaration_end_ = 0;  // of the last declaration of shared memory
    std::vector<std::string_view> macro_parameters_;
    std::vector<bool> scopes_;         // of each open brace: whether it is a namespace's
    std::vector<Edit> edits_;
    RewriteResult result_;
};

}  // namespace

RewriteResult rewrite_launches(std::string_view source, std::string_view file_name) {
    return Rewriter(source, file_name).run();
}

std::string describe(const RewriteError& error, std::string_view file_name) {
    return fmt::format("{}:{}:{}: error: {}", file_name, error.line, error.column, error.message);
}

}  // namespace simulator
