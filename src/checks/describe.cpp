#include "checks/describe.hpp"

#include <algorithm>

#include "checks/causes.hpp"

namespace checks {
namespace {

using messages::Language;

constexpr std::size_t findings_shown = 3;

// Values that are ids of messages themselves.
messages::Arguments in_words(const Arguments& arguments, Language language) {
    messages::Arguments result(arguments.begin(), arguments.end());
    for (const auto& [name, prefix] : {std::pair("during", "during."), std::pair("check", "check."),
                                       std::pair("reason", "refusal."), std::pair("stage", "stage."),
                                       std::pair("first", "stage."), std::pair("second", "stage.")}) {
        const auto found = result.find(name);
        if (found != result.end() && messages::known(prefix + found->second)) {
            found->second = messages::text(prefix + found->second, {}, language);
        }
    }
    return result;
}

std::string located(const device::SourceLine& at, const std::string& text) {
    return at.line > 0 ? at.file + ":" + std::to_string(at.line) + ": " + text : text;
}

void append_findings(std::vector<std::string>& lines, const CheckResult& check, Language language) {
    const std::size_t shown = std::min(findings_shown, check.findings.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const std::vector<std::string> described = messages::describe(check.findings[i], language);
        lines.insert(lines.end(), described.begin(), described.end());
    }
}

}  // namespace

std::string check_name(const std::string& id, Language language) {
    return messages::known("check." + id) ? messages::text("check." + id, {}, language) : id;
}

std::string what_happened(const CheckResult& check, Language language) {
    if (check.cause.empty()) {
        return {};
    }
    const std::string id = "cause." + check.cause;
    const std::string text =
        messages::known(id) ? messages::text(id, in_words(check.arguments, language), language) : check.cause;
    return located(check.source, text);
}

std::string what_to_try(const CheckResult& check, Language language) {
    const auto error = check.arguments.find("error");
    const std::string cause = "cause." + check.cause;
    const std::string of_this_error = error == check.arguments.end() ? "" : cause + "." + error->second + ".next";
    const std::string id = messages::known(of_this_error) ? of_this_error : cause + ".next";
    return messages::known(id) ? messages::text(id, in_words(check.arguments, language), language) : std::string();
}

std::vector<std::string> describe(const CheckResult& check, Language language) {
    std::vector<std::string> lines{check_name(check.id, language)};
    if (check.cause.empty()) {
        return lines;
    }
    lines.push_back(what_happened(check, language));
    const auto argument = [&](const char* name) {
        const auto found = check.arguments.find(name);
        return found == check.arguments.end() ? std::string() : found->second;
    };
    if (const std::string examples = argument("examples"); !examples.empty()) {
        lines.push_back(messages::text("checks.wrong_elements", {{"examples", examples}}, language));
    }
    append_findings(lines, check, language);
    if (const std::string output = argument("output"); !output.empty()) {
        lines.push_back(messages::text("checks.program_output", {{"output", output}}, language));
    }
    if (const std::string next = what_to_try(check, language); !next.empty()) {
        lines.push_back(messages::text("checks.next", {{"next", next}}, language));
    }
    return lines;
}

}  // namespace checks
