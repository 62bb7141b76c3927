#include "checks/results.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace device {

NLOHMANN_JSON_SERIALIZE_ENUM(Severity, {{Severity::error, "error"}, {Severity::warning, "warning"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceLine, file, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, kind, severity, at, other, details)

}  // namespace device

namespace checks {
namespace {

using Json = nlohmann::json;

constexpr int format_version = 1;

constexpr std::pair<Verdict, const char*> verdicts[] = {
    {Verdict::pass, "pass"}, {Verdict::fail, "fail"}, {Verdict::skip, "skip"}, {Verdict::inconclusive, "inconclusive"}};

Verdict verdict_named(const std::string& name) {
    for (const auto& [verdict, text] : verdicts) {
        if (name == text) {
            return verdict;
        }
    }
    throw std::runtime_error("expected a verdict, found \"" + name + '"');
}

Json to_json_value(const CheckResult& check) {
    return {{"id", check.id},         {"verdict", name_of(check.verdict)},
            {"points", check.points}, {"max_points", check.max_points},
            {"cause", check.cause},   {"arguments", check.arguments},
            {"source", check.source}, {"findings", check.findings}};
}

CheckResult check_from(const Json& json) {
    CheckResult check;
    check.id = json.at("id");
    check.verdict = verdict_named(json.at("verdict"));
    check.points = json.at("points");
    check.max_points = json.at("max_points");
    check.cause = json.at("cause");
    check.arguments = json.at("arguments").get<Arguments>();
    check.source = json.at("source").get<device::SourceLine>();
    check.findings = json.at("findings").get<std::vector<device::Finding>>();
    return check;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SpeedResult, speedup, required, full, attainable, share, share_low, share_high,
                                   required_share, full_share, pairs, time_ns, serial_time_ns, bound_time_ns)

bool Results::passed() const {
    return std::all_of(checks.begin(), checks.end(),
                       [](const CheckResult& check) { return check.verdict == Verdict::pass; });
}

const char* name_of(Verdict verdict) {
    for (const auto& [value, text] : verdicts) {
        if (value == verdict) {
            return text;
        }
    }
    throw std::logic_error("a verdict without a name");
}

void add_up(Results& results) {
    results.points = 0;
    results.max_points = 0;
    for (const CheckResult& check : results.checks) {
        results.points += check.points;
        results.max_points += check.max_points;
    }
}

void write_results(const std::filesystem::path& file, const Results& results) {
    Json json{{"format", format_version},       {"lab", results.lab},         {"device", results.device},
              {"simulated", results.simulated}, {"profile", results.profile}, {"seed", results.seed},
              {"passed", results.passed()},     {"points", results.points},   {"max_points", results.max_points}};
    json["speed"] = results.speed ? Json(*results.speed) : Json(nullptr);
    json["checks"] = Json::array();
    for (const CheckResult& check : results.checks) {
        json["checks"].push_back(to_json_value(check));
    }
    std::ofstream out(file, std::ios::binary);
    // What a student printed may not be UTF-8: replace rather than refuse.
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    out.flush();
    if (!out) {
        throw std::runtime_error(file.string() + ": the results cannot be written");
    }
}

Results read_results(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw std::runtime_error(file.string() + ": cannot be read");
    }
    try {
        const Json json = Json::parse(in);
        if (json.at("format") != format_version) {
            throw std::runtime_error("expected format " + std::to_string(format_version));
        }
        Results results;
        results.lab = json.at("lab");
        results.device = json.at("device");
        results.simulated = json.at("simulated");
        results.profile = json.at("profile");
        results.seed = json.at("seed");
        results.points = json.at("points");
        results.max_points = json.at("max_points");
        if (!json.at("speed").is_null()) {
            results.speed = json.at("speed").get<SpeedResult>();
        }
        for (const Json& check : json.at("checks")) {
            results.checks.push_back(check_from(check));
        }
        return results;
    } catch (const std::exception& error) {
        throw std::runtime_error(file.string() + ": not the results of a check program: " + error.what());
    }
}

}  // namespace checks
