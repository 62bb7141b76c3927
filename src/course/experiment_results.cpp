#include "course/experiment_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "course/failure.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view holds = "holds";
constexpr std::string_view cannot_be_shown = "cannot be shown here";

Json read_json(const fs::path& file) {
    std::ifstream in(file);
    return Json::parse(in);
}

MeasuredOn measured_on(const Json& json) {
    return {json.at("device"),  json.at("simulated"), json.at("copy_engines"),          json.at("driver"),
            json.at("toolkit"), json.at("date"),      json.value("link", std::string())};
}

MeasuredTable table_from(const Json& json) {
    MeasuredTable table;
    table.title = json.at("title");
    for (const Json& column : json.at("columns")) {
        table.columns.push_back({column.at("name"), column.at("unit")});
    }
    for (const Json& row : json.at("rows")) {
        auto& cells = table.rows.emplace_back();
        for (const Json& cell : row) {
            if (cell.is_string()) {
                cells.emplace_back(cell.get<std::string>());
            } else {
                cells.emplace_back(cell.get<double>());
            }
        }
    }
    return table;
}

ClaimFinding finding_from(const Json& json, const std::string& claim) {
    return {claim, json.at("seen"), json.at("decided_by"), json.at("verdict")};
}

void require_same_claims(const ExperimentResults& results, const Experiments& all, const Experiment& experiment) {
    std::set<std::string> listed, reported;
    for (const Claim* claim : all.claims_of(experiment)) {
        listed.insert(claim->id);
    }
    for (const ClaimFinding& finding : results.findings) {
        reported.insert(finding.claim);
    }
    for (const std::string& id : listed) {
        if (!reported.contains(id)) {
            throw CannotProceed(text("experiment.not_reported", {{"experiment", experiment.name}, {"claim", id}}));
        }
    }
    for (const std::string& id : reported) {
        if (!listed.contains(id)) {
            throw CannotProceed(text("experiment.not_listed", {{"experiment", experiment.name}, {"claim", id}}));
        }
    }
}

// "call/copy (%)" is call_per_copy_percent in a CSV header; a factor "x" needs no unit.
std::string csv_name(const MeasuredColumn& column) {
    const std::string whole = column.name + (column.unit.empty() || column.unit == "x" ? "" : " " + column.unit);
    std::string name;
    for (const char c : whole) {
        if (c == '%') {
            name += "percent";
        } else if (c == '/') {
            name += "_per_";
        } else if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!name.ends_with('_')) {
            name += '_';
        }
    }
    return name;
}

// As RFC 4180 quotes.
std::string csv_cell(const std::variant<double, std::string>& cell) {
    if (const double* const number = std::get_if<double>(&cell)) {
        return fmt::format("{:.7g}", *number);
    }
    std::string content = std::get<std::string>(cell);
    if (content.find_first_of(",\"\n") == std::string::npos) {
        return content;
    }
    std::string quoted = "\"";
    for (const char c : content) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + '"';
}

std::string csv_of(const MeasuredTable& table, const MeasuredOn& on) {
    std::ostringstream out;
    out << "# device: " << on.device << "\n# date: " << on.date << '\n';
    if (on.simulated) {
        out << "# every time is simulated\n";
    } else {
        out << "# link: " << (on.link.empty() ? "not known" : on.link) << "; driver " << on.driver << "; CUDA Toolkit "
            << on.toolkit << '\n';
    }
    out << "# " << table.title << '\n';
    const char* before = "";
    for (const MeasuredColumn& column : table.columns) {
        out << before << csv_name(column);
        before = ",";
    }
    out << '\n';
    for (const auto& row : table.rows) {
        before = "";
        for (const auto& cell : row) {
            out << before << csv_cell(cell);
            before = ",";
        }
        out << '\n';
    }
    return out.str();
}

std::string content_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

void write_file(const fs::path& file, const std::string& content) {
    std::ofstream out(file, std::ios::binary);
    out << content;
    out.close();
    if (!out) {
        throw CannotProceed(text("course.cannot_write", {{"path", file.string()}, {"reason", "-"}}));
    }
}

// Without what changes from day to day though nothing else does.
std::string without_date(const std::string& content) {
    std::istringstream in(content);
    std::string kept;
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("# date: ") && !line.starts_with("  \"date\": ")) {
            kept += line + '\n';
        }
    }
    return kept;
}

// Returns whether there was anything new.
bool write_when_new(const fs::path& file, const std::string& content) {
    if (fs::exists(file) && without_date(content_of(file)) == without_date(content)) {
        return false;
    }
    write_file(file, content);
    return true;
}

std::string stem_of(const Experiment& experiment) {
    return experiment.source.stem().string();
}

fs::path measured_folder(const Experiment& experiment) {
    return experiment.source.parent_path() / "measured";
}

Record record_from(const Json& json) {
    Record record;
    record.on = measured_on(json);
    for (const Json& entry : json.at("claims")) {
        RecordedVerdict& recorded = record.verdicts[entry.at("claim")];
        recorded.verdict = verdict_named(entry.at("verdict"));
        recorded.since = entry.at("since");
        for (const Json& finding : entry.at("findings")) {
            recorded.findings.push_back(finding_from(finding, entry.at("claim")));
        }
    }
    return record;
}

std::string since(const std::map<std::string, Record>& before, const MeasuredOn& on, const std::string& claim,
                  Verdict verdict) {
    const auto record = before.find(device_tag(on));
    if (record != before.end()) {
        const auto recorded = record->second.verdicts.find(claim);
        if (recorded != record->second.verdicts.end() && recorded->second.verdict == verdict) {
            return recorded->second.since;
        }
    }
    return on.date;
}

std::string json_of(const Experiment& experiment, const ExperimentResults& results) {
    const std::map<std::string, Record> before = read_records(experiment);
    const MeasuredOn& on = results.on;
    Json json{{"experiment", experiment.name},
              {"device", on.device},
              {"simulated", on.simulated},
              {"copy_engines", on.copy_engines},
              {"driver", on.driver},
              {"toolkit", on.toolkit},
              {"link", on.link},
              {"date", on.date},
              {"claims", Json::array()}};
    std::vector<std::string> ids;
    for (const ClaimFinding& finding : results.findings) {
        if (std::find(ids.begin(), ids.end(), finding.claim) == ids.end()) {
            ids.push_back(finding.claim);
        }
    }
    for (const std::string& id : ids) {
        const std::vector<ClaimFinding> findings = results.findings_on(id);
        const Verdict verdict = verdict_of(findings);
        Json entry{{"claim", id},
                   {"verdict", name_of(verdict)},
                   {"since", since(before, on, id, verdict)},
                   {"findings", Json::array()}};
        for (const ClaimFinding& finding : findings) {
            entry["findings"].push_back(
                {{"seen", finding.seen}, {"decided_by", finding.decided_by}, {"verdict", finding.verdict}});
        }
        json["claims"].push_back(entry);
    }
    return json.dump(2) + '\n';
}

}  // namespace

std::vector<ClaimFinding> ExperimentResults::findings_on(const std::string& claim) const {
    std::vector<ClaimFinding> found;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(found),
                 [&](const ClaimFinding& finding) { return finding.claim == claim; });
    return found;
}

Verdict verdict_of(const std::vector<ClaimFinding>& findings) {
    std::size_t held = 0;
    for (const ClaimFinding& finding : findings) {
        if (finding.verdict == cannot_be_shown) {
            return Verdict::cannot_be_shown;
        }
        held += finding.verdict == holds ? 1 : 0;
    }
    if (held == findings.size()) {
        return Verdict::is_true;
    }
    return held == 0 ? Verdict::is_false : Verdict::half_true;
}

ExperimentResults read_results(const fs::path& file, const Experiments& all, const Experiment& experiment) {
    ExperimentResults results;
    try {
        const Json json = read_json(file);
        results.on = measured_on(json);
        for (const Json& table : json.at("tables")) {
            results.tables.push_back(table_from(table));
        }
        for (const Json& finding : json.at("findings")) {
            results.findings.push_back(finding_from(finding, finding.at("claim")));
        }
    } catch (const std::exception& error) {
        throw CannotProceed(text("experiment.bad_results", {{"path", file.string()}, {"reason", error.what()}}));
    }
    require_same_claims(results, all, experiment);
    return results;
}

std::string device_tag(const MeasuredOn& on) {
    if (on.simulated) {
        return "sim";
    }
    constexpr std::string_view maker = "NVIDIA ";
    const std::string model = on.device.starts_with(maker) ? on.device.substr(maker.size()) : on.device;
    std::string tag;
    for (const char c : model) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            tag += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!tag.ends_with('-')) {
            tag += '-';
        }
    }
    return tag;
}

std::vector<fs::path> write_record(const Experiment& experiment, const ExperimentResults& results) {
    const std::string stem = stem_of(experiment) + "_" + device_tag(results.on);
    const fs::path folder = measured_folder(experiment);
    std::error_code error;
    fs::create_directories(folder, error);
    std::vector<fs::path> written;
    const auto write = [&](const fs::path& file, const std::string& content) {
        if (write_when_new(file, content)) {
            written.push_back(file);
        }
    };
    write(folder / (stem + ".json"), json_of(experiment, results));
    for (std::size_t i = 0; i < results.tables.size(); ++i) {
        const std::string number = i == 0 ? "" : "_" + std::to_string(i + 1);
        write(folder / (stem + number + ".csv"), csv_of(results.tables[i], results.on));
    }
    return written;
}

std::map<std::string, Record> read_records(const Experiment& experiment) {
    std::map<std::string, Record> records;
    const fs::path folder = measured_folder(experiment);
    if (!fs::exists(folder)) {
        return records;
    }
    const std::string prefix = stem_of(experiment) + "_";
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string stem = entry.path().stem().string();
        // A tag holds no underscore: "streams_and_chunks_sim" is no record of "streams".
        const bool ours = entry.path().extension() == ".json" && stem.starts_with(prefix) &&
                          stem.find('_', prefix.size()) == std::string::npos;
        if (!ours) {
            continue;
        }
        try {
            records.emplace(stem.substr(prefix.size()), record_from(read_json(entry.path())));
        } catch (const std::exception& error) {
            throw CannotProceed(
                text("experiment.bad_results", {{"path", entry.path().string()}, {"reason", error.what()}}));
        }
    }
    return records;
}

}  // namespace course
