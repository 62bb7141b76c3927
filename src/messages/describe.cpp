#include <string>

#include "messages/messages.hpp"

namespace messages {
namespace {

std::string located(const device::SourceLine& at, const std::string& message) {
    if (at.file.empty()) {
        return message;
    }
    return at.file + (at.line > 0 ? ":" + std::to_string(at.line) : "") + ": " + message;
}

bool names_stream(std::string_view detail) {
    return detail == "stream" || detail.ends_with(".stream");
}

// The details named "<detail>.<placeholder>", under the placeholder's name.
Arguments arguments_of(const std::string& detail, const std::map<std::string, std::string>& details) {
    const std::string prefix = detail + ".";
    Arguments arguments;
    for (auto item = details.lower_bound(prefix); item != details.end() && item->first.starts_with(prefix); ++item) {
        arguments.emplace(item->first.substr(prefix.size()), item->second);
    }
    return arguments;
}

std::string without_stream_zero(const std::string& detail, const std::string& value, Language language) {
    return names_stream(detail) && value == "0" ? stream_number(0, language) : value;
}

Arguments resolved(const std::map<std::string, std::string>& details, Language language) {
    Arguments result;
    for (const auto& [detail, value] : details) {
        if (!known(value)) {
            result.emplace(detail, without_stream_zero(detail, value, language));
            continue;
        }
        Arguments arguments = arguments_of(detail, details);
        for (auto& [name, argument] : arguments) {
            argument = without_stream_zero(name, argument, language);
        }
        result.emplace(detail, text(value, arguments, language));
    }
    return result;
}

std::string unknown_kind(const device::Finding& finding, Language language) {
    std::string details;
    for (const auto& [name, value] : finding.details) {
        details += (details.empty() ? "" : ", ") + name + "=" + value;
    }
    return text("finding.unknown", {{"kind", finding.kind}, {"details", details}}, language);
}

}  // namespace

std::vector<std::string> describe(const device::Finding& finding, Language language) {
    const std::string id = "finding." + finding.kind;
    const Arguments details = resolved(finding.details, language);
    const std::string what = known(id) ? text(id, details, language) : unknown_kind(finding, language);
    const std::string severity =
        text(finding.severity == device::Severity::error ? "severity.error" : "severity.warning", {}, language);
    std::vector<std::string> lines{located(finding.at, severity + what)};
    if (!finding.other.file.empty()) {
        const std::string other = known(id + ".other") ? id + ".other" : "finding.other_access";
        lines.push_back(located(finding.other, text(other, {}, language)));
    }
    if (known(id + ".next")) {
        lines.push_back(
            located(finding.at, text("severity.next", {}, language) + text(id + ".next", details, language)));
    }
    return lines;
}

}  // namespace messages
