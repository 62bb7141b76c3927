#include "course/state.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "checks/causes.hpp"
#include "course/failure.hpp"
#include "course/texts.hpp"

namespace course {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NotedCheck, id, cause)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GivenHint, check, level)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LabState, checked, reset, passed, points, possible_points, simulated, failed_checks,
                                   partial_checks, last_hint)

std::optional<NotedCheck> check_to_hint_on(const LabState& standing) {
    const auto& failed = standing.failed_checks;
    // Wrong values come from these, and their findings name the lines. Failed for another cause, such as a copy that
    // leaves its allocation, they say no more than the first check.
    for (const auto& [id, cause] : {std::pair("output_complete", checks::cause::output_read_early),
                                    std::pair("ordered_accesses", checks::cause::unordered_access)}) {
        const auto found = std::find_if(
            failed.begin(), failed.end(),
            [id = id, cause = cause](const NotedCheck& check) { return check.id == id && check.cause == cause; });
        if (found != failed.end()) {
            return *found;
        }
    }
    if (!failed.empty()) {
        return failed.front();
    }
    return standing.partial_checks.empty() ? std::nullopt : std::optional(standing.partial_checks.front());
}

State load_state(const Project& project) {
    std::ifstream file(project.state_file());
    const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
    try {
        return json.get<State>();
    } catch (const nlohmann::json::exception&) {
        return {};
    }
}

void save_state(const Project& project, const State& state) {
    // Written beside and renamed, so that an interrupted call leaves the old state whole.
    const std::filesystem::path target = project.state_file();
    const std::filesystem::path draft = target.string() + ".new";
    std::ofstream(draft) << nlohmann::json(state).dump(2) << '\n';
    std::error_code error;
    std::filesystem::rename(draft, target, error);
    if (error) {
        throw CannotProceed(text("course.cannot_write", {{"path", target.string()}, {"reason", error.message()}}));
    }
}

}  // namespace course
