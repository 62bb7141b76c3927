#include "course/claims_ledger.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "course/experiment_results.hpp"
#include "course/failure.hpp"
#include "course/texts.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;
using messages::Language;

using RecordsByTag = std::map<std::string, Record>;

// One page in one language.
class Ledger {
public:
    Ledger(const Experiments& all, Language language) : all_(all), language_(language) {
        for (const Experiment& experiment : all.experiments) {
            records_[experiment.name] = read_records(experiment);
        }
        choose_devices();
    }

    std::string render() const {
        std::ostringstream page;
        page << say("ledger.title") << "\n\n" << say("ledger.about") << "\n\n" << summary();
        std::set<std::string> sections;
        for (const Claim& claim : all_.claims) {
            sections.insert(claim.section);
        }
        for (const std::string& section : sections) {
            page << '\n' << render_section(section);
        }
        return page.str();
    }

private:
    struct Device {
        std::string tag;
        std::string name;
        bool simulated = false;
    };

    std::string say(std::string_view id, const messages::Arguments& arguments = {}) const {
        return messages::text(id, arguments, language_);
    }
    const std::string& say(const Bilingual& both) const {
        return language_ == Language::english ? both.english : both.chinese;
    }

    // The simulated device first, then the GPUs by name.
    void choose_devices() {
        std::map<std::string, Device> found;
        for (const auto& [experiment, records] : records_) {
            for (const auto& [tag, record] : records) {
                found[tag] = {tag, record.on.device, record.on.simulated};
            }
        }
        for (const auto& [tag, device] : found) {
            devices_.push_back(device);
        }
        std::stable_partition(devices_.begin(), devices_.end(), [](const Device& device) { return device.simulated; });
    }

    const RecordedVerdict* recorded(const Claim& claim, const Device& device) const {
        const auto of_experiment = records_.find(claim.experiment);
        if (of_experiment == records_.end()) {
            return nullptr;
        }
        const auto record = of_experiment->second.find(device.tag);
        if (record == of_experiment->second.end()) {
            return nullptr;
        }
        const auto verdict = record->second.verdicts.find(claim.id);
        return verdict == record->second.verdicts.end() ? nullptr : &verdict->second;
    }

    std::string summary() const {
        std::string lines;
        const auto measurable = std::count_if(all_.claims.begin(), all_.claims.end(),
                                              [](const Claim& claim) { return !claim.cannot_be_measured; });
        lines += say("ledger.summary",
                     {{"claims", std::to_string(all_.claims.size())}, {"measurable", std::to_string(measurable)}});
        for (const Device& device : devices_) {
            const auto measured = std::count_if(all_.claims.begin(), all_.claims.end(),
                                                [&](const Claim& claim) { return recorded(claim, device) != nullptr; });
            lines +=
                '\n' + say("ledger.summary_device", {{"device", device.name}, {"measured", std::to_string(measured)}});
        }
        return lines + '\n';
    }

    std::string render_section(const std::string& section) const {
        std::ostringstream out;
        const bool of_course_text = section.find_first_not_of("0123456789.") == std::string::npos;
        const std::string number = section.substr(section.rfind(' ') + 1);
        out << "## " << say(of_course_text ? "ledger.section" : "ledger.chapter", {{"number", number}}) << "\n\n";
        out << "| " << say("ledger.statement") << " | " << say("ledger.experiment");
        for (const Device& device : devices_) {
            out << " | " << (device.simulated ? say("ledger.simulated") : device.name);
        }
        out << " |\n|---|---";
        for (std::size_t i = 0; i < devices_.size(); ++i) {
            out << "|---";
        }
        out << "|\n";
        for (const Claim& claim : all_.claims) {
            if (claim.section == section) {
                out << row(claim);
            }
        }
        return out.str();
    }

    std::string row(const Claim& claim) const {
        std::string statement = say(claim.statement);
        if (claim.instead) {
            statement += "<br>" + say("ledger.instead", {{"text", say(*claim.instead)}});
        }
        if (claim.cannot_be_measured) {
            statement += "<br>" + say("ledger.cannot_be_measured", {{"reason", say(*claim.cannot_be_measured)}});
        }
        std::string line = "| " + statement + " | " + experiment_cell(claim);
        for (const Device& device : devices_) {
            line += " | " + verdict_cell(claim, device);
        }
        return line + " |\n";
    }

    std::string experiment_cell(const Claim& claim) const {
        const Experiment* const experiment = claim.experiment.empty() ? nullptr : all_.find(claim.experiment);
        if (experiment == nullptr) {
            return "—";
        }
        if (!experiment->written()) {
            return "`" + experiment->name + "`";
        }
        return "[`" + experiment->name + "`](" + experiment->chapter + "/" + experiment->source.filename().string() +
               ")";
    }

    std::string verdict_cell(const Claim& claim, const Device& device) const {
        if (claim.cannot_be_measured) {
            return "—";
        }
        const RecordedVerdict* const found = recorded(claim, device);
        if (found == nullptr) {
            return say("ledger.not_measured");
        }
        const Experiment& experiment = *all_.find(claim.experiment);
        const std::string file =
            experiment.chapter + "/measured/" + experiment.source.stem().string() + "_" + device.tag + ".json";
        const Verdict expected = device.simulated ? claim.expected_on_sim : claim.expected;
        const bool as_expected = found->verdict == expected || found->verdict == Verdict::cannot_be_shown;
        const std::string linked = "[" + say(verdict_text(found->verdict)) + "](" + file + ")";
        std::string cell = say("ledger.verdict", {{"verdict", linked}, {"date", found->since}});
        if (!as_expected) {
            cell += "<br>" + say("ledger.expected", {{"verdict", say(verdict_text(expected))}});
        }
        return cell;
    }

    static std::string verdict_text(Verdict verdict) {
        switch (verdict) {
            case Verdict::is_true:
                return "experiment.verdict.true";
            case Verdict::is_false:
                return "experiment.verdict.false";
            case Verdict::half_true:
                return "experiment.verdict.half_true";
            case Verdict::cannot_be_shown:
                break;
        }
        return "experiment.verdict.cannot_be_shown";
    }

    const Experiments& all_;
    Language language_;
    std::map<std::string, RecordsByTag> records_;  // by experiment
    std::vector<Device> devices_;
};

}  // namespace

std::string render_ledger(const Experiments& all, Language language) {
    return Ledger(all, language).render();
}

fs::path ledger_file(const Project& project, Language language) {
    return project.root / "chapters" / (language == Language::english ? "CLAIMS.md" : "CLAIMS.zh-CN.md");
}

std::vector<fs::path> write_ledgers(const Project& project, const Experiments& all) {
    std::vector<fs::path> changed;
    for (const Language language : {Language::english, Language::simplified_chinese}) {
        const fs::path file = ledger_file(project, language);
        const std::string page = render_ledger(all, language);
        std::ostringstream before;
        before << std::ifstream(file).rdbuf();
        if (before.str() == page) {
            continue;
        }
        std::ofstream out(file);
        out << page;
        out.close();
        if (!out) {
            throw CannotProceed(text("course.cannot_write", {{"path", file.string()}, {"reason", "-"}}));
        }
        changed.push_back(file);
    }
    return changed;
}

}  // namespace course
