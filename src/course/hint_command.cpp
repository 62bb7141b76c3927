// `course hint`: the next hint for a check, from the lab's hints page. "## <check id>" opens the hints of a check there,
// "### <level>" a hint; what is above the first check is for people who read the page.
#include <algorithm>
#include <fstream>
#include <iostream>

#include "course/commands.hpp"
#include "course/failure.hpp"
#include "course/state.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

struct CheckHints {
    std::string check;
    std::vector<std::string> levels;
};

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \n");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::vector<CheckHints> read_hints(const std::filesystem::path& page) {
    std::ifstream file(page);
    if (!file) {
        throw CannotProceed(text("course.missing_file", {{"path", page.string()}}));
    }
    std::vector<CheckHints> hints;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## ")) {
            hints.push_back({trimmed(line.substr(3)), {}});
        } else if (line.starts_with("### ") && !hints.empty()) {
            hints.back().levels.emplace_back();
        } else if (!hints.empty() && !hints.back().levels.empty()) {
            hints.back().levels.back() += line + "\n";
        }
    }
    return hints;
}

std::filesystem::path page_in_language(const std::filesystem::path& folder) {
    const std::filesystem::path chinese = folder / "hints.zh-CN.md";
    const bool wants_chinese = messages::language_from_environment() == messages::Language::simplified_chinese;
    return wants_chinese && std::filesystem::exists(chinese) ? chinese : folder / "hints.md";
}

const CheckHints& hints_for(const std::vector<CheckHints>& hints, const std::string& check) {
    std::string known;
    for (const CheckHints& candidate : hints) {
        if (candidate.check == check && !candidate.levels.empty()) {
            return candidate;
        }
        known += (known.empty() ? "" : ", ") + candidate.check;
    }
    throw CannotProceed(text("course.hint.none_for", {{"check", check}, {"checks", known}}));
}

// The named check with the cause it failed for last time, or the one that the last result asks for.
std::optional<NotedCheck> chosen_check(const LabState& standing, const std::string& named) {
    if (named.empty()) {
        return check_to_hint_on(standing);
    }
    const auto& failed = standing.failed_checks;
    const auto found =
        std::find_if(failed.begin(), failed.end(), [&](const NotedCheck& check) { return check.id == named; });
    return found == failed.end() ? NotedCheck{named, ""} : *found;
}

// Another check, or another cause, begins with the first hint; after the last one they start over.
int next_level(const GivenHint& last, const NotedCheck& check, int levels) {
    const bool same = last.check.id == check.id && last.check.cause == check.cause;
    return same ? last.level % levels + 1 : 1;
}

void print_hint(const CheckHints& hints, int level) {
    const int levels = static_cast<int>(hints.levels.size());
    const std::string title = "check." + hints.check;  // as the report of `check` names it
    std::cout << text("course.hint.level", {{"check", hints.check},
                                            {"title", messages::known(title) ? text(title) : hints.check},
                                            {"level", std::to_string(level)},
                                            {"levels", std::to_string(levels)}})
              << "\n\n"
              << trimmed(hints.levels[static_cast<std::size_t>(level - 1)]) << '\n';
    if (level == levels && levels > 1) {
        std::cout << '\n' << text("course.hint.again") << '\n';
    }
}

}  // namespace

int execute(const Project& project, const HintOptions& options) {
    const std::string lab(require_lab(options.lab));
    const std::vector<CheckHints> hints = read_hints(page_in_language(project.hints(lab)));
    State state = load_state(project);
    LabState& standing = state[lab];
    if (options.check.empty() && !standing.checked) {
        throw CannotProceed(text(standing.reset ? "course.hint.reset" : "course.hint.check_first", {{"lab", lab}}));
    }
    const std::optional<NotedCheck> check = chosen_check(standing, options.check);
    if (!check) {
        std::cout << text("course.hint.nothing_failed") << '\n';
        return 0;
    }
    const CheckHints& chosen = hints_for(hints, check->id);
    const int level = next_level(standing.last_hint, *check, static_cast<int>(chosen.levels.size()));
    standing.last_hint = {*check, level};
    print_hint(chosen, level);
    save_state(project, state);
    return 0;
}

}  // namespace course
