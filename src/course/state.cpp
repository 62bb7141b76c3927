#include "course/state.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "course/failure.hpp"
#include "course/texts.hpp"

namespace course {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LabState, checked, passed, points, possible_points, simulated, failed_checks,
                                   hints_given)

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
