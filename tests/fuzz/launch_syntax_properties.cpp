#include "launch_syntax_properties.hpp"

#include <algorithm>
#include <initializer_list>

#include "simulator/launch_syntax/rewrite.hpp"

namespace fuzz {
namespace {

constexpr std::string_view directive = "#line 1 \"f.cu\"\n";

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

std::ptrdiff_t lines_of(std::string_view text) {
    return std::count(text.begin(), text.end(), '\n');
}

// Without the brackets of launches, which are what the pass takes away.
std::string without_brackets(std::string_view source) {
    std::string rest(source);
    for (const std::string_view removed : {"<<<", ">>>"}) {
        for (std::size_t at = rest.find(removed); at != std::string::npos; at = rest.find(removed, at)) {
            rest.erase(at, removed.size());
        }
    }
    return rest;
}

bool is_part_of(std::string_view part, std::string_view whole) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < whole.size() && found < part.size(); ++i) {
        found += whole[i] == part[found] ? 1 : 0;
    }
    return found == part.size();
}

std::string broken_by_errors(const simulator::RewriteResult& result, std::string_view source) {
    if (!result.text.empty() || result.changed) {
        return "expected no text beside errors";
    }
    for (const simulator::RewriteError& error : result.errors) {
        if (error.line < 1 || error.line > lines_of(source) + 1 || error.column < 1 || error.message.empty()) {
            return "expected the place of an error within the text, found " + describe(error, "f.cu");
        }
    }
    return {};
}

}  // namespace

std::string broken_promise(std::string_view source) {
    const simulator::RewriteResult result = simulator::rewrite_launches(source, "f.cu");
    // Variables of the device and kernels stay, and are announced behind their declaration.
    const bool announces = has_any(source, {"__device__", "__constant__", "__global__"});
    const bool has_syntax = announces || has_any(source, {"<<<", "__shared__"});
    if (!result.ok()) {
        return has_syntax ? broken_by_errors(result, source) : "expected no error in a text without CUDA's syntax";
    }
    if (!result.text.starts_with(directive)) {
        return "expected the text to begin with its #line";
    }
    const std::string_view text = std::string_view(result.text).substr(directive.size());
    if (lines_of(text) != lines_of(source)) {
        return "expected every line to keep its number";
    }
    if (!result.changed) {
        return text == source ? "" : "expected a text that is called unchanged to be so";
    }
    if (!has_syntax) {
        return "expected a text without CUDA's syntax to stay as it is";
    }
    if (!has_any(source, {"__shared__"}) && !is_part_of(without_brackets(source), text)) {
        return "expected every other token to stay";
    }
    const simulator::RewriteResult again = simulator::rewrite_launches(text, "f.cu");
    if (!again.ok() || (announces ? !is_part_of(text, again.text) : again.changed)) {
        return "expected nothing to be left to rewrite";
    }
    return {};
}

}  // namespace fuzz
