#include "course/experiments.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "course/failure.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::pair<Verdict, const char*> verdicts[] = {{Verdict::is_true, "true"},
                                                        {Verdict::is_false, "false"},
                                                        {Verdict::half_true, "half true"},
                                                        {Verdict::cannot_be_shown, "cannot be shown"}};

[[noreturn]] void refuse(const std::string& reason) {
    throw std::runtime_error(reason);
}

// A misspelt key would otherwise be left out in silence.
void expect_keys(const Json& json, const std::set<std::string>& allowed) {
    for (const auto& [key, value] : json.items()) {
        if (!allowed.contains(key)) {
            refuse("unexpected key \"" + key + "\" in " + json.dump());
        }
    }
}

Bilingual bilingual(const Json& json) {
    expect_keys(json, {"en", "zh"});
    Bilingual text{json.at("en"), json.at("zh")};
    if (text.english.empty() || text.chinese.empty()) {
        refuse("expected a text in both languages, found " + json.dump());
    }
    return text;
}

std::optional<Bilingual> optional_text(const Json& json, const char* key) {
    return json.contains(key) ? std::optional(bilingual(json.at(key))) : std::nullopt;
}

Experiment experiment_from(const Json& json, const fs::path& folder) {
    expect_keys(json, {"name", "title", "findings"});
    Experiment experiment;
    experiment.name = json.at("name");
    experiment.chapter = folder.filename().string();
    experiment.title = bilingual(json.at("title"));
    std::string file = experiment.name;
    std::replace(file.begin(), file.end(), '-', '_');
    experiment.source = folder / (file + ".cu");
    experiment.expected_findings = json.value("findings", std::vector<std::string>());
    return experiment;
}

Claim claim_from(const Json& json) {
    expect_keys(json,
                {"id", "section", "statement", "experiment", "expected", "on_sim", "instead", "cannot_be_measured"});
    Claim claim;
    claim.id = json.at("id");
    claim.section = json.at("section");
    claim.statement = bilingual(json.at("statement"));
    claim.cannot_be_measured = optional_text(json, "cannot_be_measured");
    claim.instead = optional_text(json, "instead");
    claim.experiment = json.value("experiment", "");
    if (claim.experiment.empty() != claim.cannot_be_measured.has_value()) {
        refuse("claim \"" + claim.id + "\": expected either an experiment or why it cannot be measured");
    }
    if (!claim.experiment.empty()) {
        claim.expected = verdict_named(json.at("expected"));
        claim.expected_on_sim = verdict_named(json.value("on_sim", std::string(name_of(claim.expected))));
        if (claim.expected != Verdict::is_true && !claim.instead) {
            refuse("claim \"" + claim.id + "\": expected to read what holds instead");
        }
    }
    return claim;
}

void require_unique_and_known(const Experiments& all) {
    std::set<std::string> names;
    for (const Experiment& experiment : all.experiments) {
        if (!names.insert(experiment.name).second) {
            refuse("experiment \"" + experiment.name + "\" is listed twice");
        }
    }
    std::set<std::string> ids;
    for (const Claim& claim : all.claims) {
        if (!ids.insert(claim.id).second) {
            refuse("claim \"" + claim.id + "\" is listed twice");
        }
        if (!claim.experiment.empty() && !names.contains(claim.experiment)) {
            refuse("claim \"" + claim.id + "\": there is no experiment \"" + claim.experiment + "\"");
        }
    }
}

void read_chapter(const fs::path& folder, Experiments& all) {
    std::ifstream in(folder / "claims.json");
    const Json json = Json::parse(in);
    expect_keys(json, {"experiments", "claims"});
    for (const Json& entry : json.at("experiments")) {
        all.experiments.push_back(experiment_from(entry, folder));
    }
    for (const Json& entry : json.at("claims")) {
        all.claims.push_back(claim_from(entry));
    }
}

}  // namespace

const char* name_of(Verdict verdict) {
    const auto found =
        std::find_if(std::begin(verdicts), std::end(verdicts), [&](const auto& row) { return row.first == verdict; });
    return found->second;
}

Verdict verdict_named(const std::string& name) {
    for (const auto& [verdict, text] : verdicts) {
        if (name == text) {
            return verdict;
        }
    }
    refuse("expected true, false, half true or cannot be shown, found \"" + name + '"');
}

const std::string& Bilingual::here() const {
    return messages::language_from_environment() == messages::Language::english ? english : chinese;
}

const Experiment* Experiments::find(const std::string& name) const {
    std::string wanted = name;
    std::replace(wanted.begin(), wanted.end(), '_', '-');
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [&](const Experiment& experiment) { return experiment.name == wanted; });
    return found == experiments.end() ? nullptr : &*found;
}

std::vector<const Claim*> Experiments::claims_of(const Experiment& experiment) const {
    std::vector<const Claim*> found;
    for (const Claim& claim : claims) {
        if (claim.experiment == experiment.name) {
            found.push_back(&claim);
        }
    }
    return found;
}

Experiments read_experiments(const Project& project) {
    Experiments all;
    fs::path file = project.root / "chapters";
    try {
        for (const std::string_view chapter : lab_names()) {
            file = project.root / "chapters" / chapter / "claims.json";
            if (fs::exists(file)) {
                read_chapter(file.parent_path(), all);
            }
        }
        require_unique_and_known(all);
    } catch (const std::exception& error) {
        throw CannotProceed(text("experiment.bad_claims", {{"path", file.string()}, {"reason", error.what()}}));
    }
    if (all.experiments.empty()) {
        throw CannotProceed(text("experiment.none", {{"path", (project.root / "chapters").string()}}));
    }
    return all;
}

}  // namespace course
