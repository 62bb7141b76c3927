#include "course/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "checks/describe.hpp"
#include "course/texts.hpp"
#include "timeline/text_columns.hpp"

namespace course {
namespace {

using checks::CheckResult;
using checks::Results;
using checks::Verdict;

constexpr std::size_t indent = 4;
constexpr std::size_t label_column = 10;

std::string mark(const Console& console, Verdict verdict) {
    switch (verdict) {
        case Verdict::pass: return console.styled(Style::green, "✓");
        case Verdict::fail: return console.styled(Style::red, "✗");
        case Verdict::inconclusive: return console.styled(Style::yellow, "?");
        case Verdict::skip: break;
    }
    return console.styled(Style::dim, "–");
}

// "labs/03_streams/lab.cu:61", seen from where the user stands when it lies below.
std::string shown(const device::SourceLine& source) {
    const std::filesystem::path near = std::filesystem::path(source.file).lexically_proximate(std::filesystem::current_path());
    const std::string file = near.string().starts_with("..") ? source.file : near.string();
    return source.line > 0 ? file + ":" + std::to_string(source.line) : file;
}

// "8/10"
std::string points_out_of(const CheckResult& check) {
    return shown_points(check.points) + "/" + shown_points(check.max_points);
}

// The points of all checks stand in one column; this is how wide it is.
std::size_t points_column(const Results& results) {
    std::size_t widest = 0;
    for (const CheckResult& check : results.checks) {
        widest = std::max(widest, points_out_of(check).size());
    }
    return widest;
}

// "    next      use one stream per chunk", wrapped under its own column.
std::string detail(const Console& console, std::string_view label_id, const std::string& value) {
    return std::string(indent, ' ') + console.styled(Style::dim, timeline::padded(text(label_id), label_column)) +
           wrapped(value, console.width, indent + label_column) + "\n";
}

// Nothing when there is nothing to say.
std::string optional_detail(const Console& console, std::string_view label_id, const std::string& value) {
    return value.empty() ? std::string() : detail(console, label_id, value);
}

std::string argument(const CheckResult& check, const std::string& name) {
    const auto found = check.arguments.find(name);
    return found == check.arguments.end() ? std::string() : found->second;
}

// What a student's program printed, without the codes by which it could move the cursor over a verdict.
std::string harmless(std::string printed) {
    std::erase_if(printed, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t'; });
    return printed;
}

std::string findings_of(const CheckResult& check, const Console& console) {
    constexpr std::size_t shown_at_most = 3;
    std::string lines;
    for (std::size_t i = 0; i < std::min(shown_at_most, check.findings.size()); ++i) {
        for (const std::string& line : messages::describe(check.findings[i])) {
            lines += std::string(indent, ' ') + wrapped(line, console.width, indent + 2) + "\n";
        }
    }
    return lines;
}

std::string explain_failure(const CheckResult& check, const ReportContext& context) {
    const Console& console = context.console;
    const std::string expected = "check." + check.id + ".expected";
    CheckResult without_source = check;  // it has a line of its own
    without_source.source = {};
    return optional_detail(console, "course.check.expected", messages::known(expected) ? text(expected) : "") +
           optional_detail(console, "course.check.actual", checks::what_happened(without_source)) +
           optional_detail(console, "course.check.values", argument(check, "examples")) +
           optional_detail(console, "course.check.at", check.source.file.empty() ? "" : shown(check.source)) +
           findings_of(check, console) +
           optional_detail(console, "course.check.output", harmless(argument(check, "output"))) +
           optional_detail(console, "course.check.next", checks::what_to_try(check)) +
           detail(console, "course.check.rerun", context.rerun);
}

std::string explain_no_verdict(const CheckResult& check, const Console& console) {
    const std::string reason = checks::what_happened(check);
    return reason.empty() ? reason : std::string(indent, ' ') + wrapped(reason, console.width, indent) + "\n";
}

// What earns the rest of the points. Only the speed is graded by degree.
std::string explain_points_left(const Results& results, const Console& console) {
    if (!results.speed) {
        return "";
    }
    const std::string lab = results.lab.substr(results.lab.find('_') + 1);
    return detail(console, "course.check.next",
                  text("course.check.more", {{"full", fmt::format("{:.2f}", results.speed->full)}, {"lab", lab}}));
}

std::string render_check(const Results& results, const CheckResult& check, const ReportContext& context) {
    const std::size_t points_width = points_column(results);
    const Console& console = context.console;
    const std::size_t name_at = points_width + 4;  // the mark, and the blanks around the points
    std::string lines = mark(console, check.verdict) + " " +
                        console.styled(Style::dim, fmt::format("{:>{}}", points_out_of(check), points_width)) + "  " +
                        wrapped(checks::check_name(check.id), console.width, name_at) + "\n";
    if (check.verdict == Verdict::fail) {
        lines += explain_failure(check, context);
    } else if (has_points_left(check)) {
        lines += explain_points_left(results, console);
    } else if (check.verdict != Verdict::pass) {
        lines += explain_no_verdict(check, console);
    }
    return lines;
}

std::size_t count(const Results& results, Verdict verdict) {
    return static_cast<std::size_t>(std::count_if(results.checks.begin(), results.checks.end(),
                                                  [&](const CheckResult& check) { return check.verdict == verdict; }));
}

std::string speed_line(const checks::SpeedResult& speed, bool simulated) {
    return text(simulated ? "course.check.speed_simulated" : "course.check.speed",
                {{"speedup", fmt::format("{:.2f}", speed.speedup)},
                 {"required", fmt::format("{:.2f}", speed.required)},
                 {"attainable", fmt::format("{:.2f}", speed.attainable)}});
}

std::string verdict_line(const Results& results, const Console& console) {
    const std::size_t inconclusive = count(results, Verdict::inconclusive);
    const messages::Arguments arguments{{"points", shown_points(results.points)},
                                        {"possible", shown_points(results.max_points)},
                                        {"failed", std::to_string(count(results, Verdict::fail))},
                                        {"count", std::to_string(inconclusive)},
                                        {"not_judged", std::to_string(count(results, Verdict::skip) + inconclusive)},
                                        {"checks", std::to_string(results.checks.size())}};
    switch (exit_status_of(results)) {
        case 0: return console.styled(Style::green, text("course.check.passed", arguments));
        case 1: return console.styled(Style::red, text("course.check.failed", arguments));
        default: return console.styled(Style::yellow, text("course.check.inconclusive", arguments));
    }
}

}  // namespace

std::string shown_points(double points) { return fmt::format("{:.4g}", points); }

bool has_points_left(const CheckResult& check) {
    return check.verdict == Verdict::pass && check.points < check.max_points;
}

std::string render_header(const Results& results, const ReportContext& context) {
    const Console& console = context.console;
    const std::string device =
        results.simulated
            ? text("course.check.on_simulated", {{"device", results.device}, {"profile", results.profile}})
            : text("course.check.on_gpu", {{"device", results.device}});
    return console.styled(Style::bold, text("course.check.header", {{"lab", results.lab}, {"file", context.file}})) +
           "\n" + wrapped(device, console.width, 0) + "\n" +
           text("course.check.seed", {{"seed", std::to_string(results.seed)}}) + "\n";
}

std::string render_checks(const Results& results, const ReportContext& context) {
    std::string lines;
    for (const CheckResult& check : results.checks) {
        lines += render_check(results, check, context);
    }
    return lines;
}

std::string render_total(const Results& results, const ReportContext& context) {
    const std::string speed = results.speed ? speed_line(*results.speed, results.simulated) + "\n" : std::string();
    return speed + verdict_line(results, context.console) + "\n";
}

int exit_status_of(const Results& results) {
    if (count(results, Verdict::fail) > 0) {
        return 1;
    }
    return count(results, Verdict::inconclusive) > 0 ? 2 : 0;
}

}  // namespace course
