// The lists of claims, what is recorded of them, and the ledger that is written from both.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "course/claims_ledger.hpp"
#include "course/experiment_results.hpp"
#include "course/experiments.hpp"
#include "course/failure.hpp"
#include "course/temporary_directory.hpp"

namespace {

namespace fs = std::filesystem;
using course::Verdict;
using messages::Language;

std::string content_of(const fs::path& file) {
    std::ostringstream content;
    content << std::ifstream(file).rdbuf();
    return content.str();
}

// A checkout that holds one chapter's claims.
class Checkout {
public:
    explicit Checkout(const std::string& claims) : project_{folder_.path(), folder_.path() / "build"} {
        fs::create_directories(chapter());
        std::ofstream(chapter() / "claims.json") << claims;
        std::ofstream(chapter() / "one_thing.cu") << "int main() {}\n";
    }

    const course::Project& project() const { return project_; }
    fs::path chapter() const { return folder_.path() / "chapters" / "03_streams"; }
    course::Experiments read() const { return course::read_experiments(project_); }
    std::string refusal() const {
        try {
            (void)read();
        } catch (const course::CannotProceed& error) {
            return error.what();
        }
        return "accepted";
    }

private:
    course::TemporaryDirectory folder_;
    course::Project project_;
};

std::string claims(const std::string& claim) {
    return R"({"experiments": [{"name": "one-thing", "title": {"en": "One", "zh": "一"}}], "claims": [)" + claim + "]}";
}

constexpr const char* true_claim = R"({"id": "a", "section": "2.1", "statement": {"en": "It is so.", "zh": "如此。"},
    "experiment": "one-thing", "expected": "true"})";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

course::ExperimentResults results(const std::string& date, const std::vector<std::string>& verdicts) {
    course::ExperimentResults found;
    found.on = {"NVIDIA H200", false, 3, "580.1", "13.0", date, "PCIe 5 x16"};
    found.tables.push_back({"Times", {{"what", ""}, {"call/copy", "%"}}, {{std::string("a, b"), 12.5}}});
    for (const std::string& verdict : verdicts) {
        found.findings.push_back({"a", "seen", "1 > 0", verdict});
    }
    return found;
}

TEST(Claims, EverySectionOfTheCourseTextHasItsStatements) {
    const course::Experiments all = course::read_experiments(course::find_project());
    std::set<std::string> sections;
    for (const course::Claim& claim : all.claims) {
        sections.insert(claim.section);
    }
    for (const char* const section : {"2.1", "2.2", "2.3", "2.4", "2.5", "2.6"}) {
        EXPECT_TRUE(sections.contains(section)) << section;
    }
    EXPECT_GE(all.claims.size(), 50U);
    for (const course::Experiment& experiment : all.experiments) {
        EXPECT_FALSE(all.claims_of(experiment).empty()) << experiment.name << " decides nothing";
    }
}

TEST(Claims, EveryProgramInTheChaptersIsListed) {
    const course::Project project = course::find_project();
    const course::Experiments all = course::read_experiments(project);
    std::size_t programs = 0;
    for (auto entry = fs::recursive_directory_iterator(project.root / "chapters"); entry != end(entry); ++entry) {
        if (entry->path().extension() == ".cu" && entry.depth() == 1) {  // deeper are the examples in the text
            ++programs;
            const course::Experiment* const listed = all.find(entry->path().stem().string());
            ASSERT_NE(listed, nullptr) << entry->path();
            EXPECT_EQ(listed->source, entry->path());
        }
    }
    EXPECT_GT(programs, 0U);
}

TEST(Claims, LedgerIsWhatTheRecordsSay) {
    const course::Project project = course::find_project();
    const course::Experiments all = course::read_experiments(project);
    for (const Language language : {Language::english, Language::simplified_chinese}) {
        EXPECT_EQ(content_of(course::ledger_file(project, language)), course::render_ledger(all, language))
            << "./course experiment --ledger writes it again";
    }
}

TEST(Claims, RefusesWhatCannotBeMeant) {
    EXPECT_EQ(Checkout(claims(true_claim)).refusal(), "accepted");
    EXPECT_TRUE(contains(Checkout(claims(std::string(true_claim) + "," + true_claim)).refusal(), "listed twice"));
    EXPECT_TRUE(contains(Checkout(claims(R"({"id": "a", "section": "2.1", "statement": {"en": "x", "zh": "x"},
        "experiment": "other", "expected": "true"})"))
                             .refusal(),
                         "there is no experiment \"other\""));
    EXPECT_TRUE(contains(Checkout(claims(R"({"id": "a", "section": "2.1", "statement": {"en": "x", "zh": ""},
        "experiment": "one-thing", "expected": "true"})"))
                             .refusal(),
                         "in both languages"));
    EXPECT_TRUE(contains(Checkout(claims(R"({"id": "a", "section": "2.1", "statement": {"en": "x", "zh": "x"},
        "experiment": "one-thing", "expected": "false"})"))
                             .refusal(),
                         "what holds instead"));
    EXPECT_TRUE(
        contains(Checkout(claims(R"({"id": "a", "section": "2.1", "statement": {"en": "x", "zh": "x"}})")).refusal(),
                 "either an experiment or why"));
    EXPECT_TRUE(contains(Checkout(claims(R"({"id": "a", "section": "2.1", "statement": {"en": "x", "zh": "x"},
        "experiment": "one-thing", "expected": "true", "onsim": "false"})"))
                             .refusal(),
                         "unexpected key \"onsim\""));
    EXPECT_TRUE(contains(Checkout("{").refusal(), "claims.json"));
}

TEST(Claims, FindingNoExperimentIsAnError) {
    EXPECT_TRUE(contains(Checkout(R"({"experiments": [], "claims": []})").refusal(), "there is no experiment"));
}

TEST(Verdicts, AreWhatAllTheFindingsSay) {
    const auto verdict = [](const std::vector<std::string>& findings) {
        return course::verdict_of(results("2026-01-01", findings).findings);
    };
    EXPECT_EQ(verdict({"holds", "holds"}), Verdict::is_true);
    EXPECT_EQ(verdict({"does not hold"}), Verdict::is_false);
    EXPECT_EQ(verdict({"holds", "does not hold"}), Verdict::half_true);
    EXPECT_EQ(verdict({"holds", "cannot be shown here"}), Verdict::cannot_be_shown);
}

TEST(Verdicts, EveryStatementNeedsAFindingAndEveryFindingAStatement) {
    const Checkout checkout(claims(true_claim));
    const course::Experiments all = checkout.read();
    const auto refusal = [&](const std::string& findings) -> std::string {
        const fs::path file = checkout.chapter() / "results.json";
        std::ofstream(file)
            << R"({"device": "NVIDIA H200", "simulated": false, "copy_engines": 3, "driver": "580", "toolkit": "13.0",
            "date": "2026-01-01", "tables": [], "findings": [)"
            << findings << "]}";
        try {
            (void)course::read_results(file, all, all.experiments.front());
        } catch (const course::CannotProceed& error) {
            return error.what();
        }
        return "accepted";
    };
    const std::string on_a = R"({"claim": "a", "verdict": "holds", "seen": "s", "decided_by": "1 > 0"})";
    const std::string on_b = R"({"claim": "b", "verdict": "holds", "seen": "s", "decided_by": "1 > 0"})";
    EXPECT_EQ(refusal(on_a), "accepted");
    EXPECT_TRUE(contains(refusal(""), "says nothing of \"a\""));
    EXPECT_TRUE(contains(refusal(on_a + "," + on_b), "reports on \"b\""));
}

TEST(Records, KeepTheFirstDateOfTheSameVerdict) {
    const Checkout checkout(claims(true_claim));
    const course::Experiment experiment = checkout.read().experiments.front();
    const auto since = [&] { return course::read_records(experiment).at("h200").verdicts.at("a").since; };
    course::write_record(experiment, results("2026-01-01", {"holds"}));
    EXPECT_EQ(since(), "2026-01-01");
    course::write_record(experiment, results("2026-02-02", {"holds"}));
    EXPECT_EQ(since(), "2026-01-01");
    course::write_record(experiment, results("2026-03-03", {"does not hold"}));
    EXPECT_EQ(since(), "2026-03-03");
    EXPECT_EQ(course::read_records(experiment).at("h200").verdicts.at("a").verdict, Verdict::is_false);
}

TEST(Records, StayAsTheyAreWhenNothingIsNew) {
    const Checkout checkout(claims(true_claim));
    const course::Experiment experiment = checkout.read().experiments.front();
    EXPECT_EQ(course::write_record(experiment, results("2026-01-01", {"holds"})).size(), 2U);
    EXPECT_TRUE(course::write_record(experiment, results("2026-02-02", {"holds"})).empty());
}

TEST(Records, CsvNamesItsColumnsAndTheMachine) {
    const Checkout checkout(claims(true_claim));
    course::write_record(checkout.read().experiments.front(), results("2026-01-01", {"holds"}));
    EXPECT_EQ(
        content_of(checkout.chapter() / "measured" / "one_thing_h200.csv"),
        "# device: NVIDIA H200\n# date: 2026-01-01\n# link: PCIe 5 x16; driver 580.1; CUDA Toolkit 13.0\n# Times\n"
        "what,call_per_copy_percent\n\"a, b\",12.5\n");
}

TEST(Ledger, SaysWhereAVerdictIsNotAsExpected) {
    const Checkout checkout(claims(true_claim));
    const course::Experiments all = checkout.read();
    EXPECT_TRUE(contains(course::render_ledger(all, Language::english), "| It is so. |"));
    course::write_record(all.experiments.front(), results("2026-01-01", {"holds"}));
    const std::string as_expected = course::render_ledger(all, Language::english);
    EXPECT_TRUE(contains(as_expected, "[true](03_streams/measured/one_thing_h200.json), since 2026-01-01"));
    EXPECT_FALSE(contains(as_expected, "**expected"));
    course::write_record(all.experiments.front(), results("2026-01-01", {"does not hold"}));
    EXPECT_TRUE(contains(course::render_ledger(all, Language::english), "**expected: true**"));
}

}  // namespace
