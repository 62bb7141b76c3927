#include "course/command_line.hpp"

#include <gtest/gtest.h>

#include "course/failure.hpp"

namespace {

using course::DeviceChoice;

std::variant<course::Request, course::HelpText> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "course");
    return course::parse(static_cast<int>(arguments.size()), arguments.data());
}

template <typename Options>
Options parse_as(const std::vector<const char*>& arguments) {
    return std::get<Options>(std::get<course::Request>(parse(arguments)));
}

std::string refusal_of(const std::vector<const char*>& arguments) {
    try {
        parse(arguments);
    } catch (const course::CannotProceed& failure) {
        return failure.what();
    }
    return "accepted";
}

TEST(CommandLine, AloneAsksForTheStatus) { EXPECT_NO_THROW(parse_as<course::StatusOptions>({})); }

TEST(CommandLine, ReadsEveryOptionOfCheck) {
    const auto options = parse_as<course::CheckOptions>({"check", "streams", "--solution", "--device", "sim", "--profile",
                                                         "one-copy-engine", "--json", "out file.json", "--seed", "7",
                                                         "--file", "other.cu"});
    EXPECT_EQ(options.lab, "streams");
    EXPECT_TRUE(options.solution);
    EXPECT_EQ(options.on.device, DeviceChoice::simulated);
    EXPECT_EQ(options.on.profile, "one-copy-engine");
    EXPECT_EQ(options.json, std::filesystem::path("out file.json"));
    EXPECT_EQ(options.seed, 7U);
    EXPECT_EQ(options.file, std::filesystem::path("other.cu"));
}

TEST(CommandLine, TakesEverySeedThatACheckPrints) {
    const auto options = parse_as<course::CheckOptions>({"check", "3", "--seed", "18446744073709551615"});
    EXPECT_EQ(options.seed, 18446744073709551615U);
}

TEST(CommandLine, TakesNoOptionForGranted) {
    const auto options = parse_as<course::CheckOptions>({"check", "3"});
    EXPECT_FALSE(options.solution);
    EXPECT_EQ(options.on.device, DeviceChoice::automatic);
    EXPECT_FALSE(options.seed.has_value());
    EXPECT_FALSE(options.json.has_value());
}

TEST(CommandLine, GivesTheProgramWhatFollowsTheTwoDashes) {
    const auto options = parse_as<course::RunOptions>({"run", "a.cu", "--device", "gpu", "--", "--size", "3", "-x"});
    EXPECT_EQ(options.target, "a.cu");
    EXPECT_EQ(options.on.device, DeviceChoice::gpu);
    EXPECT_EQ(options.arguments, (std::vector<std::string>{"--size", "3", "-x"}));
}

TEST(CommandLine, RunTakesWhatCompilersTake) {
    const auto options = parse_as<course::RunOptions>(
        {"run", "a.cu", "b.cu", "c.cpp", "-I", "include", "-Iother", "-DSIZE=3", "-D", "FAST", "-std=c++17", "--", "-std=x"});
    EXPECT_EQ(options.target, "a.cu");
    EXPECT_EQ(options.build.more_sources, (std::vector<std::filesystem::path>{"b.cu", "c.cpp"}));
    EXPECT_EQ(options.build.include_directories, (std::vector<std::string>{"include", "other"}));
    EXPECT_EQ(options.build.definitions, (std::vector<std::string>{"SIZE=3", "FAST"}));
    EXPECT_EQ(options.build.standard, "c++17");
    EXPECT_EQ(options.arguments, (std::vector<std::string>{"-std=x"}));
}

TEST(CommandLine, RunLetsCallsFail) {
    EXPECT_EQ(parse_as<course::RunOptions>({"run", "a.cu", "--fail-call", "3"}).fail_call, 3U);
    EXPECT_TRUE(parse_as<course::RunOptions>({"run", "a.cu", "--fail-each"}).fail_each);
}

TEST(CommandLine, GivesMesonWhatFollowsTest) {
    const auto options = parse_as<course::TestOptions>({"test", "--suite", "course"});
    EXPECT_EQ(options.arguments, (std::vector<std::string>{"--suite", "course"}));
}

TEST(CommandLine, TakesChecksOfPages) {
    const auto options = parse_as<course::PagesOptions>({"pages", "links", "code", "--write"});
    EXPECT_EQ(options.checks, (std::vector<std::string>{"links", "code"}));
    EXPECT_TRUE(options.write);
    EXPECT_FALSE(parse_as<course::PagesOptions>({"pages"}).write);
}

TEST(CommandLine, BuildsSlides) {
    EXPECT_FALSE(parse_as<course::SlidesOptions>({"slides"}).html);
    EXPECT_TRUE(parse_as<course::SlidesOptions>({"slides", "--html"}).html);
}

TEST(CommandLine, RefusesInOneLine) {
    const std::vector<std::vector<const char*>> wrong{
        {"chekc"},  {"check"},          {"check", "3", "--device", "tpu"}, {"check", "3", "--seed", "many"},
        {"--nope"}, {"check", "3", "4"}, {"reset"},                         {"check", "3", "--profile"},
        {"run", "a.cu", "--fail-call", "0"}, {"run", "a.cu", "--fail-call", "2", "--fail-each"}, {"check", "3", "--seed", "-1"}, {"check", "3", "--seed", "7x"},
        {"check", "3", "--seed", "18446744073709551616"}};
    for (const auto& arguments : wrong) {
        const std::string refusal = refusal_of(arguments);
        EXPECT_NE(refusal, "accepted") << arguments.front();
        EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
    }
}

TEST(CommandLine, NamesTheCommandsForAnUnknownOne) {
    const std::string refusal = refusal_of({"chekc"});
    EXPECT_NE(refusal.find("\"chekc\""), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("check, run, timeline"), std::string::npos) << refusal;
}

TEST(CommandLine, ShowsTheHelpOfTheCommandThatWasAsked) {
    const auto help = std::get<course::HelpText>(parse({"check", "--help"}));
    EXPECT_NE(help.text.find("--profile"), std::string::npos) << help.text;
}

}  // namespace
