#include "messages/messages.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>

#include "messages/catalog.hpp"

namespace {

using messages::Language;

std::vector<messages::Entry> every_entry() {
    std::vector<messages::Entry> entries;
    for (const auto& topic : messages::all_catalogs()) {
        entries.insert(entries.end(), topic.entries.begin(), topic.entries.end());
    }
    return entries;
}

// The names between braces; "{{" and "}}" are literal braces.
std::set<std::string> placeholders(std::string_view pattern) {
    std::set<std::string> names;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        if (pattern[at] == '}') {
            ++at;
        } else if (pattern[at] == '{' && pattern.substr(at).starts_with("{{")) {
            ++at;
        } else if (pattern[at] == '{') {
            const std::size_t end = pattern.find('}', at);
            names.emplace(pattern.substr(at + 1, end - at - 1));
            at = end == std::string_view::npos ? pattern.size() : end;
        }
    }
    return names;
}

messages::Arguments all_arguments(std::string_view pattern) {
    messages::Arguments arguments;
    for (const auto& name : placeholders(pattern)) {
        arguments[name] = "<" + name + ">";
    }
    return arguments;
}

// The letters outside the placeholders: none in a message of placeholders and signs alone.
std::string words_of(std::string_view pattern) {
    std::string letters;
    bool inside = false;
    for (const char byte : pattern) {
        inside = byte == '{' || (inside && byte != '}');
        if (!inside && std::isalpha(static_cast<unsigned char>(byte)) != 0) {
            letters += byte;
        }
    }
    return letters;
}

// CJK Unified Ideographs U+4E00 to U+9FFF are E4 B8 80 to E9 BF BF in UTF-8.
bool has_cjk(std::string_view text) {
    for (const char byte : text) {
        const auto value = static_cast<unsigned char>(byte);
        if (value >= 0xE4 && value <= 0xE9) {
            return true;
        }
    }
    return false;
}

// Whether an ASCII mark directly follows a Chinese character, where Chinese typography wants the full-width one.
bool has_half_width_mark_after_cjk(std::string_view text) {
    for (std::size_t at = 1; at < text.size(); ++at) {
        const bool after_wide = (static_cast<unsigned char>(text[at - 1]) & 0x80) != 0;
        if (after_wide && std::string_view(",;:!?()").find(text[at]) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

// Sets one environment variable, or unsets it, until the end of the scope.
class ScopedVariable {
public:
    ScopedVariable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) {
            old_ = old;
        }
        set(value);
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;
    ~ScopedVariable() { set(old_ ? old_->c_str() : nullptr); }

private:
    void set(const char* value) const {
        if (value == nullptr) {
            unsetenv(name_);
        } else {
            setenv(name_, value, 1);
        }
    }

    const char* name_;
    std::optional<std::string> old_;
};

Language language_with(const char* course, const char* all, const char* messages, const char* lang) {
    const ScopedVariable a("COURSE_LANG", course);
    const ScopedVariable b("LC_ALL", all);
    const ScopedVariable c("LC_MESSAGES", messages);
    const ScopedVariable d("LANG", lang);
    return messages::language_from_environment();
}

TEST(Catalog, HasEveryTopic) {
    std::set<std::string_view> names;
    for (const auto& topic : messages::all_catalogs()) {
        names.insert(topic.name);
    }
    EXPECT_EQ(names, (std::set<std::string_view>{"checks", "course", "experiments", "fidelity", "findings", "lab_best_practices", "lab_double_buffering", "lab_events",
                                                 "lab_pinned_async", "lab_sync_memcpy", "timeline"}));
}

TEST(Catalog, IdsAreUnique) {
    std::set<std::string_view> ids;
    for (const auto& entry : every_entry()) {
        EXPECT_TRUE(ids.insert(entry.id).second) << entry.id << " is defined twice";
    }
}

TEST(Catalog, BothLanguagesArePresent) {
    for (const auto& entry : every_entry()) {
        EXPECT_FALSE(entry.id.empty());
        EXPECT_FALSE(entry.english.empty()) << entry.id;
        EXPECT_FALSE(entry.chinese.empty()) << entry.id;
    }
}

TEST(Catalog, BothLanguagesNameTheSamePlaceholders) {
    for (const auto& entry : every_entry()) {
        EXPECT_EQ(placeholders(entry.english), placeholders(entry.chinese)) << entry.id;
    }
}

TEST(Catalog, EnglishHoldsNoChineseAndChineseHoldsSome) {
    for (const auto& entry : every_entry()) {
        EXPECT_FALSE(has_cjk(entry.english)) << entry.id;
        const bool has_words = words_of(entry.english).size() > 0 && entry.english != entry.chinese;
        EXPECT_TRUE(has_cjk(entry.chinese) || !has_words) << entry.id << " has no Chinese text: " << entry.chinese;
    }
}

TEST(Catalog, ChineseUsesFullWidthPunctuation) {
    for (const auto& entry : every_entry()) {
        EXPECT_FALSE(has_half_width_mark_after_cjk(entry.chinese)) << entry.id << ": " << entry.chinese;
    }
}

TEST(Catalog, EveryMessageCanBeFilledInBothLanguages) {
    for (const auto& entry : every_entry()) {
        for (const auto language : {Language::english, Language::simplified_chinese}) {
            const auto filled = messages::text(entry.id, all_arguments(entry.english), language);
            for (const auto& [name, value] : all_arguments(entry.english)) {
                EXPECT_NE(filled.find(value), std::string::npos) << entry.id << " drops " << name;
            }
        }
    }
}

TEST(Catalog, EveryFindingSaysWhatToTryNext) {
    for (const char* kind :
         {"unordered_access", "order_not_promised", "leaked_device_memory", "leaked_host_memory", "leaked_stream",
          "leaked_event", "use_after_free", "use_after_reset", "not_simulated", "device_assertion", "copy_out_of_bounds", "kernel_out_of_bounds", "kernel_invalid_address", "kernel_division_by_zero", "shared_memory_out_of_bounds", "barrier_never_reached",
          "barrier_diverged", "lane_not_in_mask", "wrong_copy_direction",
          "device_pointer_on_host", "impossible_launch", "unwritten_memory_read", "unwritten_memory_copied", "unchecked_error",
          "results_without_copy", "input_written_by_host"}) {
        EXPECT_TRUE(messages::known(std::string("finding.") + kind)) << kind;
        EXPECT_TRUE(messages::known(std::string("finding.") + kind + ".next")) << kind;
    }
}

TEST(Text, FillsNamedPlaceholdersInEitherLanguage) {
    const messages::Arguments arguments{{"bytes", "4096"}, {"unused", "x"}};
    EXPECT_EQ(messages::text("finding.leaked_device_memory", arguments, Language::english),
              "4096 bytes of device memory were allocated here and never freed");
    EXPECT_EQ(messages::text("finding.leaked_device_memory", arguments, Language::simplified_chinese),
              "这里分配的 4096 字节设备内存一直没有释放");
}

TEST(Text, LeavesBracesInArgumentsAlone) {
    EXPECT_EQ(messages::text("access.check_reads", {{"name", "{host_output}"}}, Language::english),
              "the check reads {host_output}");
}

std::string error_of(std::string_view id, const messages::Arguments& arguments) {
    try {
        messages::text(id, arguments, Language::english);
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Text, UnknownIdIsNamed) {
    EXPECT_EQ(error_of("finding.nonsense", {}), "no message has the id \"finding.nonsense\"");
}

TEST(Text, MissingArgumentIsNamed) {
    const auto error = error_of("finding.copy_out_of_bounds", {{"bytes", "8"}});
    EXPECT_NE(error.find("finding.copy_out_of_bounds"), std::string::npos) << error;
    EXPECT_NE(error.find("{allocation_bytes}"), std::string::npos) << error;
}

TEST(LanguageFromEnvironment, CourseLangComesFirst) {
    EXPECT_EQ(language_with("en", "zh_CN.UTF-8", nullptr, nullptr), Language::english);
    EXPECT_EQ(language_with("zh", "C", nullptr, nullptr), Language::simplified_chinese);
    EXPECT_EQ(language_with("zh-CN", "en_US.UTF-8", nullptr, nullptr), Language::simplified_chinese);
}

TEST(LanguageFromEnvironment, AnotherCourseLangCountsAsNotSet) {
    EXPECT_EQ(language_with("fr", "zh_CN.UTF-8", nullptr, nullptr), Language::simplified_chinese);
    EXPECT_EQ(language_with("", nullptr, nullptr, "zh_CN"), Language::simplified_chinese);
}

TEST(LanguageFromEnvironment, LocaleVariablesInTheirOrder) {
    EXPECT_EQ(language_with(nullptr, "C.UTF-8", "zh_CN.UTF-8", "zh_CN.UTF-8"), Language::english);
    EXPECT_EQ(language_with(nullptr, nullptr, "zh_CN.UTF-8", "en_US.UTF-8"), Language::simplified_chinese);
    EXPECT_EQ(language_with(nullptr, "", "", "zh_CN.UTF-8"), Language::simplified_chinese);
    EXPECT_EQ(language_with(nullptr, nullptr, nullptr, "de_DE.UTF-8"), Language::english);
    EXPECT_EQ(language_with(nullptr, nullptr, nullptr, nullptr), Language::english);
}

device::Finding race() {
    return {.kind = "unordered_access",
            .severity = device::Severity::error,
            .at = {"lab.cu", 45},
            .other = {"lab.cu", 41},
            .details = {{"bytes", "4096"},
                        {"range", "range.host"},
                        {"range.begin", "0"},
                        {"range.end", "4096"},
                        {"first", "access.copy_writes"},
                        {"first.name", "cudaMemcpyAsync D2H"},
                        {"first.stream", "0"},
                        {"second", "host code reads"},
                        {"order", "order.device_synchronize"}}};
}

TEST(Describe, SaysWhatHappenedWhereTheOtherAccessIsAndWhatToTry) {
    EXPECT_EQ(
        messages::describe(race(), Language::english),
        (std::vector<std::string>{
            "lab.cu:45: error: two accesses to the same 4096 bytes (bytes 0 to 4096 of a host buffer) with nothing "
            "that orders "
            "them: cudaMemcpyAsync D2H on stream 0 (legacy default) writes; host code reads",
            "lab.cu:41: the other access is here",
            "lab.cu:45: try this: call cudaDeviceSynchronize before the host makes the second access"}));
}

TEST(Describe, ResolvesDetailsInChinese) {
    const auto lines = messages::describe(race(), Language::simplified_chinese);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0],
              "lab.cu:45: 错误：对同一段内存（一块主机缓冲区的第 0 至 4096 字节，共 4096 "
              "字节）有两次访问，二者之间没有任何先后保证："
              "cudaMemcpyAsync D2H（流 0，传统默认流）写；host code reads");
    EXPECT_EQ(lines[1], "lab.cu:41: 另一次访问在这里");
    EXPECT_EQ(lines[2], "lab.cu:45: 建议：在主机进行第二次访问之前调用 cudaDeviceSynchronize。");
}

TEST(Describe, LeavesOutWhatIsNotKnown) {
    const device::Finding finding{.kind = "leaked_stream",
                                  .severity = device::Severity::warning,
                                  .at = {"lab.cu", 0},
                                  .other = {},
                                  .details = {}};
    const auto lines = messages::describe(finding, Language::english);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "lab.cu: warning: a stream was created here and never destroyed");
}

TEST(Describe, WithoutAnySourceThereIsNoPrefix) {
    const device::Finding finding{
        .kind = "leaked_event", .severity = device::Severity::error, .at = {}, .other = {}, .details = {}};
    EXPECT_EQ(messages::describe(finding, Language::english).front(),
              "error: an event was created here and never destroyed");
}

TEST(Describe, AKindWithoutTextIsShownByNameAndDetails) {
    const device::Finding finding{.kind = "new_kind",
                                  .severity = device::Severity::error,
                                  .at = {"a.cu", 3},
                                  .other = {},
                                  .details = {{"a", "1"}, {"b", "2"}}};
    EXPECT_EQ(messages::describe(finding, Language::english),
              std::vector<std::string>{"a.cu:3: error: new_kind (a=1, b=2)"});
}

}  // namespace
