#include "messages/messages.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "device/environment.hpp"
#include "messages/catalog.hpp"

namespace messages {
namespace {

using Index = std::unordered_map<std::string_view, const Entry*>;

Index build_index() {
    Index index;
    for (const Topic& topic : all_catalogs()) {
        for (const Entry& entry : topic.entries) {
            if (!index.emplace(entry.id, &entry).second) {
                throw std::logic_error("message defined twice: " + std::string(entry.id));
            }
        }
    }
    return index;
}

const Entry* find(std::string_view id) {
    static const Index& index = *new Index(build_index());  // never destroyed: findings are described at exit too
    const auto found = index.find(id);
    return found == index.end() ? nullptr : found->second;
}

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<Language> course_language() {
    const std::string_view value = variable(device::environment::language);
    if (value == "en") {
        return Language::english;
    }
    if (value == "zh" || value == "zh-CN") {
        return Language::simplified_chinese;
    }
    return std::nullopt;
}

}  // namespace

std::vector<Topic> all_catalogs() {
    return {{"findings", catalog::findings()},
            {"checks", catalog::checks()},
            {"lab_events", catalog::lab_events()},
            {"course", catalog::course()},
            {"lab_double_buffering", catalog::lab_double_buffering()},
            {"lab_pinned_async", catalog::lab_pinned_async()},
            {"lab_sync_memcpy", catalog::lab_sync_memcpy()},
            {"lab_best_practices", catalog::lab_best_practices()},
            {"timeline", catalog::timeline()},
            {"experiments", catalog::experiments()},
            {"fidelity", catalog::fidelity()}};
}

Language language_from_environment() {
    if (const auto chosen = course_language()) {
        return *chosen;
    }
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const std::string_view locale = variable(name);
        if (!locale.empty()) {
            return locale.starts_with("zh") ? Language::simplified_chinese : Language::english;
        }
    }
    return Language::english;
}

bool known(std::string_view id) {
    return find(id) != nullptr;
}

std::string text(std::string_view id, const Arguments& arguments, Language language) {
    const Entry* entry = find(id);
    if (entry == nullptr) {
        throw std::logic_error("no message has the id \"" + std::string(id) + '"');
    }
    const std::string_view pattern = language == Language::english ? entry->english : entry->chinese;
    fmt::dynamic_format_arg_store<fmt::format_context> store;
    std::string given;
    for (const auto& [name, value] : arguments) {
        store.push_back(fmt::arg(name.c_str(), value));
        given += (given.empty() ? "" : ", ") + name;
    }
    try {
        return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), store);
    } catch (const fmt::format_error& error) {
        throw std::logic_error(
            fmt::format("message \"{}\" expects an argument for each placeholder of \"{}\", found: {} ({})", id,
                        pattern, given.empty() ? "none" : given, error.what()));
    }
}

std::string stream_number(std::uint32_t stream, Language language) {
    return stream == 0 ? text("stream.legacy_default", {}, language) : std::to_string(stream);
}

}  // namespace messages
