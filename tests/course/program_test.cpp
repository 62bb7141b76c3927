// The compiled `course`, called as people call it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "course/chapters.hpp"
#include "course/process.hpp"
#include "course/project.hpp"
#include "course/starter.hpp"
#include "course/state.hpp"
#include "course/temporary_directory.hpp"

namespace {

namespace fs = std::filesystem;

class Course : public testing::Test {
protected:
    course::ProcessResult run(std::vector<std::string> arguments, std::map<std::string, std::string> environment = {}) {
        arguments.insert(arguments.begin(), std::getenv("COURSE_PROGRAM"));
        return course::run_captured({std::move(arguments), std::move(environment), folder_.path()});
    }

    // A file in the folder that the command is called from.
    fs::path file(const std::string& name, const std::string& content) const {
        fs::create_directories((folder_.path() / name).parent_path());
        std::ofstream(folder_.path() / name) << content;
        return folder_.path() / name;
    }

    const fs::path& folder() const { return folder_.path(); }

private:
    course::TemporaryDirectory folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_one_line_and_status_2(const course::ProcessResult& result) {
    EXPECT_EQ(result.exit_status, 2) << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
}

constexpr const char* own_main = R"(#include <cstdio>
#include <cstdlib>
__global__ void twice(int* values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= 2;
}
int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 100;
    int* host = nullptr;
    int* device = nullptr;
    cudaMallocHost(&host, count * sizeof(int));
    cudaMalloc(&device, count * sizeof(int));
    for (int i = 0; i < count; ++i) host[i] = i;
    cudaMemcpy(device, host, count * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<(count + 255) / 256, 256>>>(device, count);
    cudaMemcpy(host, device, count * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("last %d\n", host[count - 1]);
    cudaFree(device);
    cudaFreeHost(host);
    return STATUS;
}
)";

// The copy on line 9 and the kernel on line 10 are in two streams, and nothing orders them.
constexpr const char* race = R"(__global__ void twice(int* values) { values[threadIdx.x] *= 2; }
int main() {
    int* host = nullptr;
    int* device = nullptr;
    cudaStream_t first, second;
    cudaMallocHost(&host, 256 * sizeof(int));
    cudaMalloc(&device, 256 * sizeof(int));
    cudaStreamCreate(&first); cudaStreamCreate(&second);
    cudaMemcpyAsync(device, host, 256 * sizeof(int), cudaMemcpyHostToDevice, first);
    twice<<<1, 256, 0, second>>>(device);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first); cudaStreamDestroy(second);
    cudaFree(device); cudaFreeHost(host);
}
)";

std::string with_status(std::string source, const std::string& status) {
    source.replace(source.find("STATUS"), 6, status);
    return source;
}

TEST_F(Course, RefusesWhatItCannotDoInOneLine) {
    file("malformed.json", "{ not a profile");
    file("incomplete.json", "{\"name\": \"x\"}");
    const std::vector<std::vector<std::string>> impossible{
        {"chekc"},
        {"check"},
        {"check", "99"},
        {"check", "nothing"},
        {"check", "streams", "--device", "tpu"},
        {"check", "streams", "--file", "missing.cu"},
        {"check", "streams", "--file", "missing.cu", "--solution"},
        {"check", "streams", "--profile", "no-such-profile"},
        {"check", "streams", "--profile", "malformed.json"},
        {"check", "streams", "--profile", "incomplete.json"},
        {"check", "streams", "--device", "gpu", "--profile", "h200-pcie5"},
        {"check", "streams", "--seed", "many"},
        {"run", "missing.cu"},
        {"run", "nothing"},
        {"run", "."},
        {"timeline", "missing.cu"},
        {"hint", "99"},
        {"hint", "streams", "no_such_check"},
        {"reset", "99"},
        {"calibrate", "--name", "../elsewhere"},
    };
    for (const auto& arguments : impossible) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_one_line_and_status_2(run(arguments));
    }
}

TEST_F(Course, RefusesAGpuThatIsNotThere) {
    // Without its driver no GPU can be used, whatever the machine has.
    const auto result = run({"check", "streams", "--device", "gpu"}, {{"CUDA_VISIBLE_DEVICES", ""}});
    expect_one_line_and_status_2(result);
    EXPECT_TRUE(contains(result.output, "--device")) << result.output;
}

TEST_F(Course, SpeaksChineseWhenAsked) {
    const auto result = run({"check", "99"}, {{"COURSE_LANG", "zh-CN"}});
    EXPECT_TRUE(contains(result.output, "没有实验")) << result.output;
}

TEST_F(Course, ShowsTheCompilersMessageWithTheStudentsLine) {
    file("broken.cu", "int main() {\n    return nothing_of_that_name;\n}\n");
    const auto result = run({"run", "broken.cu", "--device", "sim"});
    EXPECT_EQ(result.exit_status, 2) << result.output;
    EXPECT_TRUE(contains(result.output, "broken.cu:2:")) << result.output;
    EXPECT_TRUE(contains(result.output, "nothing_of_that_name")) << result.output;
}

TEST_F(Course, RefusesALaunchThatCannotBeParsed) {
    file("launch.cu", "__global__ void k() {}\nint main() {\n    k<<<1, 1>>;\n}\n");
    const auto result = run({"run", "launch.cu", "--device", "sim"});
    EXPECT_EQ(result.exit_status, 2) << result.output;
    EXPECT_TRUE(contains(result.output, "launch.cu:3:")) << result.output;
}

TEST_F(Course, RunsAFileWithItsOwnMain) {
    file("folder with blank/own.cu", with_status(own_main, "0"));
    const auto result = run({"run", "folder with blank/own.cu", "--device", "sim", "--", "50"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_TRUE(contains(result.output, "last 98\n")) << result.output;
    EXPECT_TRUE(contains(result.output, "simulated")) << result.output;
}

TEST_F(Course, EndsWithTheProgramsOwnStatus) {
    file("own.cu", with_status(own_main, "7"));
    EXPECT_EQ(run({"run", "own.cu", "--device", "sim"}).exit_status, 7);
}

TEST_F(Course, BuildsAProgramOnceWhenTwoCommandsWantItAtTheSameTime) {
    const fs::path source = file("own.cu", with_status(own_main, "0"));
    const auto timeline = [&](const std::string& name) {
        return std::async(std::launch::async, [this, name] {
            return run({"timeline", "own.cu", "--device", "sim", "--svg", name}).exit_status;
        });
    };
    auto first = timeline("first.svg");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // one would be built while the other runs
    auto second = timeline("second.svg");
    EXPECT_EQ(first.get(), 0);
    EXPECT_EQ(second.get(), 0);
    EXPECT_EQ(course::content_of(folder() / "first.svg"), course::content_of(folder() / "second.svg"));
}

TEST_F(Course, NamesTheSignalThatEndedTheProgram) {
    file("null.cu", "int main() {\n    static int* volatile nothing = nullptr;\n    *nothing = 1;\n}\n");
    const auto of_host = run({"run", "null.cu", "--device", "sim"});
    EXPECT_EQ(of_host.exit_status, 128 + SIGSEGV);
    EXPECT_TRUE(contains(of_host.output, "signal SIGSEGV")) << of_host.output;
    file("null_in_kernel.cu", "__global__ void k(int* p) {\n    *p = 1;\n}\nint main() {\n    k<<<1, 1>>>(nullptr);\n"
                              "    return cudaDeviceSynchronize();\n}\n");
    const auto of_kernel = run({"run", "null_in_kernel.cu", "--device", "sim"});
    EXPECT_EQ(of_kernel.exit_status, 128 + SIGSEGV);
    EXPECT_TRUE(contains(of_kernel.output, "null_in_kernel.cu:2: error: kernel k")) << of_kernel.output;
    file("aborts.cu", "#include <cstdlib>\nint main() { std::abort(); }\n");
    EXPECT_TRUE(contains(run({"run", "aborts.cu", "--device", "sim"}).output, "signal SIGABRT"));
}

TEST_F(Course, CompilesAgainWhenAFileThatIsIncludedChanges) {
    file("own.cu", "#include \"status.h\"\n" + with_status(own_main, "STATUS_OF_HEADER"));
    file("status.h", "#define STATUS_OF_HEADER 3\n");
    EXPECT_EQ(run({"run", "own.cu", "--device", "sim"}).exit_status, 3);
    file("status.h", "#define STATUS_OF_HEADER 4\n");
    EXPECT_EQ(run({"run", "own.cu", "--device", "sim"}).exit_status, 4);
}

TEST_F(Course, ReportsAPlantedRaceWithBothLines) {
    file("race.cu", race);
    const auto result = run({"run", "race.cu", "--device", "sim"});
    EXPECT_EQ(result.exit_status, 1) << result.output;
    EXPECT_TRUE(contains(result.output, "race.cu:9")) << result.output;
    EXPECT_TRUE(contains(result.output, "race.cu:10") || contains(result.output, "race.cu:1:")) << result.output;
}

TEST_F(Course, DrawsTheTimelineIntoFiles) {
    file("own.cu", with_status(own_main, "0"));
    const auto result = run({"timeline", "own.cu", "--device", "sim", "--svg", "t.svg", "--trace", "t.json"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_TRUE(contains(course::content_of(folder() / "t.svg"), "<svg"));
    EXPECT_EQ(nlohmann::json::parse(course::content_of(folder() / "t.json")).at("operations").size(), 3U);
}

TEST_F(Course, DrawsARecordedTraceAsTheRunThatLeftIt) {
    file("own.cu", with_status(own_main, "0"));
    const auto run_itself = run({"timeline", "own.cu", "--device", "sim", "--svg", "t.svg", "--trace", "t.json"});
    const auto recorded = run({"timeline", "t.json", "--svg", "again.svg"});
    EXPECT_EQ(recorded.exit_status, 0) << recorded.output;
    EXPECT_EQ(course::content_of(folder() / "again.svg"), course::content_of(folder() / "t.svg"));
    expect_one_line_and_status_2(run({"timeline", "t.json", "--device", "sim"}));
    expect_one_line_and_status_2(run({"timeline", "missing.json"}));
}

TEST_F(Course, PassesTheSolutionTwiceWithTheSameFigures) {
    const std::vector<std::string> arguments{"check", "streams", "--solution", "--device", "sim"};
    const auto first = run(arguments);
    EXPECT_EQ(first.exit_status, 0) << first.output;
    EXPECT_TRUE(contains(first.output, "simulated")) << first.output;
    EXPECT_TRUE(contains(first.output, "attainable here")) << first.output;
    EXPECT_EQ(run(arguments).output, first.output);
}

TEST_F(Course, NamesTheLabsForAnUnknownOne) {
    const auto result = run({"check", "stream"});
    expect_one_line_and_status_2(result);
    EXPECT_TRUE(contains(result.output, "\"stream\"")) << result.output;
    EXPECT_TRUE(contains(result.output, "the labs are: ")) << result.output;
    for (const std::string_view lab : course::chapters) {
        EXPECT_TRUE(contains(result.output, std::string(lab))) << result.output;
    }
}

TEST_F(Course, FailsTheStarterAndWritesItsResults) {
    file("starter.cu", course::starter_for_tests(course::find_project(), "03_streams"));
    const auto result = run({"check", "streams", "--file", "starter.cu", "--device", "sim", "--json", "results.json"});
    EXPECT_EQ(result.exit_status, 1) << result.output;
    EXPECT_TRUE(contains(result.output, "✗")) << result.output;
    EXPECT_TRUE(contains(result.output, "./course check streams")) << result.output;
    const auto results = nlohmann::json::parse(course::content_of(folder() / "results.json"));
    EXPECT_EQ(results.at("passed"), false);
    EXPECT_FALSE(results.at("checks").empty());
}

// A checkout of its own, so that nobody's work is touched.
class Checkout : public Course {
protected:
    void SetUp() override {
        file("meson.build", "");
        starter_ = course::starter_for_tests(course::find_project(), "03_streams");
        file("labs/03_streams/lab.cu", starter_);
        file("build/kept", "");
        git({"init", "--quiet"});
        git({"add", "labs"});
        git({"-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-m", "starter"});
        // Without git and with an edited lab.cu, the starter is nowhere: reset cannot be tested then.
        has_starter_ = course::starter_is_untouched({folder(), folder() / "build"}, "03_streams");
    }

    void git(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"git", "-C", folder().string()});
        const auto result = course::run_captured({arguments, {}, {}});
        ASSERT_EQ(result.exit_status, 0) << result.output;
    }

    course::ProcessResult run_here(const std::vector<std::string>& arguments) {
        return run(arguments, {{"COURSE_ROOT", folder().string()}});
    }

    // Changes what is remembered of the lab's last check.
    void remember(const std::function<void(course::LabState&)>& change) const {
        const course::Project project{folder(), folder() / "build"};
        course::State state = course::load_state(project);
        course::LabState& standing = state["03_streams"];
        standing.checked = true;
        change(standing);
        course::save_state(project, state);
    }

    void remember_failed(const std::vector<course::NotedCheck>& failed) const {
        remember([&](course::LabState& standing) { standing.failed_checks = failed; });
    }

    std::vector<fs::path> backups() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder() / "labs/03_streams")) {
            if (contains(entry.path().filename().string(), "lab.cu.backup-")) {
                found.push_back(entry.path());
            }
        }
        return found;
    }

    std::string starter_;
    bool has_starter_ = false;
};

TEST_F(Checkout, ResetPutsTheStarterBackAndKeepsTheStudentsFile) {
    if (!has_starter_) {
        GTEST_SKIP() << "lab.cu was edited, and there is no git checkout to fetch the starter from";
    }
    const fs::path lab = file("labs/03_streams/lab.cu", "my work\n");
    git({"-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-a", "-m", "work"});
    const auto result = run_here({"reset", "streams"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_EQ(course::content_of(lab), starter_);
    ASSERT_EQ(backups().size(), 1U);
    EXPECT_EQ(course::content_of(backups().front()), "my work\n");
}

TEST_F(Checkout, ResetKeepsEveryBackup) {
    if (!has_starter_) {
        GTEST_SKIP() << "lab.cu was edited, and there is no git checkout to fetch the starter from";
    }
    for (const char* work : {"first\n", "second\n"}) {
        file("labs/03_streams/lab.cu", work);
        EXPECT_EQ(run_here({"reset", "3"}).exit_status, 0);
    }
    EXPECT_EQ(backups().size(), 2U);
}

TEST_F(Checkout, ResetLeavesAnUntouchedStarterAlone) {
    if (!has_starter_) {
        GTEST_SKIP() << "lab.cu was edited, and there is no git checkout to fetch the starter from";
    }
    EXPECT_EQ(run_here({"reset", "3"}).exit_status, 0);
    EXPECT_TRUE(backups().empty());
}

TEST_F(Checkout, ResetSaysThatItNeedsGit) {
    fs::remove_all(folder() / ".git");
    file("labs/03_streams/lab.cu", "my work\n");
    expect_one_line_and_status_2(run_here({"reset", "3"}));
    EXPECT_TRUE(backups().empty());
}

TEST_F(Checkout, HintsGoOnFromLevelToLevel) {
    file("labs/03_streams/hints.md", "# Hints\n\n## overlap\n### 1\nLook.\n### 2\nLook closer.\n\n## speed\n### 1\nThree.\n");
    const auto first = run_here({"hint", "3", "overlap"});
    EXPECT_TRUE(contains(first.output, "Look."));
    EXPECT_TRUE(contains(first.output, "\"H2D copies, kernels and D2H copies overlap\" (overlap)")) << first.output;
    EXPECT_TRUE(contains(run_here({"hint", "3", "overlap"}).output, "Look closer."));
    EXPECT_TRUE(contains(run_here({"hint", "3", "overlap"}).output, "Look."));
}

constexpr const char* two_levels = R"(# Hints
## typical_size
### 1
Values one.
### 2
Values two.
## ordered_accesses
### 1
Order one.
### 2
Order two.
## output_complete
### 1
Wait one.
### 2
Wait two.
## speed
### 1
Speed one.
### 2
Speed two.
)";

TEST_F(Checkout, HintsOnTheCheckThatExplainsTheFailure) {
    file("labs/03_streams/hints.md", two_levels);
    const course::NotedCheck values{"typical_size", "wrong_values"};
    const course::NotedCheck order{"ordered_accesses", "unordered_access"};
    const course::NotedCheck complete{"output_complete", "output_read_early"};
    remember_failed({values, order, complete});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Wait one."));
    remember_failed({values, order});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Order one."));
    remember_failed({values, {"speed", "too_slow"}});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Values one."));
}

TEST_F(Checkout, HintsOnTheFirstCheckWhenTheOthersFailedForItsCause) {
    file("labs/03_streams/hints.md", two_levels);
    const char* const cause = "copy_out_of_bounds";
    remember_failed({{"typical_size", cause}, {"ordered_accesses", cause}, {"output_complete", cause}});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Values one."));
    remember_failed({{"typical_size", "wrong_values"}, {"ordered_accesses", "device_finding"}});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Values one."));
}

TEST_F(Checkout, HintsStartOverWithAnotherCheckOrCause) {
    file("labs/03_streams/hints.md", two_levels);
    remember_failed({{"speed", "too_slow"}});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Speed one."));
    remember_failed({{"speed", "too_slow"}});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Speed two."));
    remember_failed({{"typical_size", "wrong_values"}});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Values one."));
    remember_failed({{"typical_size", "never_written"}});
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Values one."));
    EXPECT_TRUE(contains(run_here({"hint", "3", "typical_size"}).output, "Values two."));
}

TEST_F(Checkout, HintsOnTheCheckWithPointsLeftWhenNoneFailed) {
    file("labs/03_streams/hints.md", two_levels);
    remember([](course::LabState& standing) { standing.passed = true; });
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "No check"));
    remember([](course::LabState& standing) { standing.partial_checks = {{"speed", ""}}; });
    EXPECT_TRUE(contains(run_here({"hint", "3"}).output, "Speed one."));
}

TEST_F(Checkout, ResultsDoNotOutliveAReset) {
    if (!has_starter_) {
        GTEST_SKIP() << "lab.cu was edited, and there is no git checkout to fetch the starter from";
    }
    remember_failed({{"speed", "too_slow"}});
    file("labs/03_streams/lab.cu", "my work\n");
    EXPECT_EQ(run_here({"reset", "3"}).exit_status, 0);
    const auto status = run_here({});
    EXPECT_TRUE(contains(status.output, "the starter again")) << status.output;
    EXPECT_FALSE(contains(status.output, "points")) << status.output;
    file("labs/03_streams/hints.md", two_levels);
    const auto hint = run_here({"hint", "3"});
    expect_one_line_and_status_2(hint);
    EXPECT_TRUE(contains(hint.output, "the starter again")) << hint.output;
}

TEST_F(Checkout, StatusRoundsPointsAsCheckDoes) {
    remember([](course::LabState& standing) {
        standing.points = 28.51649;
        standing.possible_points = 30;
    });
    const auto result = run_here({});
    EXPECT_TRUE(contains(result.output, "28.52 of 30 points")) << result.output;
}

TEST_F(Checkout, StatusNamesTheNextLab) {
    const auto result = run_here({});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_TRUE(contains(result.output, "03_streams")) << result.output;
    const std::string first(course::chapters.front());
    EXPECT_TRUE(contains(result.output, "./course check " + first.substr(first.find('_') + 1))) << result.output;
}

TEST_F(Course, RunBuildsAProgramOfSeveralFiles) {
    file("include/shared.h", "int number();\n");
    file("number.cpp", "#include \"shared.h\"\nint number() { return NUMBER; }\n");
    file("main.cu", "#include \"shared.h\"\n#include <cstdio>\nint main() { std::printf(\"is %d\\n\", number()); }\n");
    const auto result =
        run({"run", "main.cu", "number.cpp", "-I", "include", "-DNUMBER=41", "-std=c++17", "--device", "sim"});
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_TRUE(contains(result.output, "is 41")) << result.output;
    EXPECT_TRUE(contains(run({"run", "main.cu", "number.cpp", "-I", "include", "-DNUMBER=42", "--device", "sim"}).output,
                         "is 42"));
    expect_one_line_and_status_2(run({"run", "main.cu", "nothing.cpp", "--device", "sim"}));
}

constexpr const char* half_checked = R"(#include <cstdlib>
int main() {
    int* host = nullptr;
    int* device = nullptr;
    if (cudaMallocHost(&host, 64) != cudaSuccess) return 3;
    if (cudaMalloc(&device, 64) != cudaSuccess) std::abort();
    cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice);
    cudaFree(device);
    return cudaFreeHost(host) == cudaSuccess ? 0 : 1;
}
)";

TEST_F(Course, RunLetsEachCallFailOnce) {
    file("half_checked.cu", half_checked);
    const auto result = run({"run", "half_checked.cu", "--device", "sim", "--fail-each"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_FALSE(contains(result.output, "call 1 ")) << result.output;
    EXPECT_TRUE(contains(result.output, "call 2 failed")) << result.output;
    EXPECT_TRUE(contains(result.output, "crashed")) << result.output;
    EXPECT_TRUE(contains(result.output, "call 3 failed (cudaMemcpy, half_checked.cu:7)")) << result.output;
    EXPECT_TRUE(contains(result.output, "call 4 failed (cudaFree, half_checked.cu:8)")) << result.output;
    EXPECT_TRUE(contains(result.output, "Calls made to fail, one in each run: 5; not reported by the program: 3."))
        << result.output;
}

TEST_F(Course, RunLetsOneCallFail) {
    file("half_checked.cu", half_checked);
    const auto result = run({"run", "half_checked.cu", "--device", "sim", "--fail-call", "1"});
    EXPECT_EQ(result.exit_status, 3);
    EXPECT_TRUE(contains(result.output, "half_checked.cu:5")) << result.output;
}

}  // namespace
