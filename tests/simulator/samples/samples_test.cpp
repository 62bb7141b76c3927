// Programs of the kinds that samples and courses on this subject have, with a main of their own: they print PASS and no
// finding accuses them. The broken twin of each has one mistake, and a finding that names its line.
#include <gtest/gtest.h>

#include "program_run.hpp"

namespace simulator {
namespace {

namespace fs = std::filesystem;

Program sample(const std::string& name, const std::string& twin = "") {
    const fs::path source(SAMPLE_SOURCE_DIRECTORY);
    const bool several_files = fs::is_directory(source / name);
    return {fs::path(SAMPLE_BUILD_DIRECTORY) / (name + twin),
            several_files ? source / name / "main.cu" : source / (name + ".cu")};
}

bool passed(const ProgramRun& result) {
    return result.output.find("PASS\n") != std::string::npos;
}

struct Right {
    std::string name;
    std::vector<std::string> arguments;
};

class Samples : public testing::TestWithParam<Right> {};

TEST_P(Samples, pass_and_are_not_accused) {
    const Program program = sample(GetParam().name);
    const ProgramRun result = run(program, GetParam().arguments);
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_TRUE(passed(result)) << result.output;
    EXPECT_TRUE(result.trace.findings.empty()) << result.output;
    EXPECT_FALSE(result.trace.operations.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Samples,
    testing::Values(Right{"async_api", {}}, Right{"simple_streams", {}},
                    Right{"simple_streams", {"--memory=registered", "-sync=blocking", "--streams=8"}},
                    Right{"simple_streams", {"--memory=mapped", "-sync=spin"}}, Right{"multi_copy", {}},
                    Right{"concurrent_kernels", {}}, Right{"concurrent_kernels", {"--kernels=8"}},
                    Right{"overlapped_transfers", {}}, Right{"bandwidth", {}},
                    Right{"bandwidth", {"--memory=pageable", "--mode=quick"}}, Right{"gaussian_overlap", {}},
                    Right{"gaussian_overlap", {"--streams=6"}}, Right{"captured_graph", {}},
                    Right{"managed_vector_add", {}}, Right{"reduction", {}}, Right{"cooperative", {}},
                    Right{"templates_and_lambdas", {}}, Right{"multi_file", {}}),
    [](const auto& info) { return info.param.name + "_" + std::to_string(info.index); });

struct Broken {
    std::string name;
    std::string kind;
    std::string marker;
};

class BrokenSamples : public testing::TestWithParam<Broken> {};

TEST_P(BrokenSamples, are_found_at_the_line_of_the_mistake) {
    const Program program = sample(GetParam().name, "_broken");
    const ProgramRun result = run(program, {});
    const std::vector<device::Finding> found = result.findings(GetParam().kind);
    ASSERT_FALSE(found.empty()) << result.output;
    EXPECT_EQ(found.front().at.line, program.line(GetParam().marker)) << result.output;
    for (const device::Finding& finding : result.trace.findings) {
        EXPECT_TRUE(finding.kind == GetParam().kind || finding.kind.starts_with("leaked_")) << result.output;
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, BrokenSamples,
                         testing::Values(Broken{"async_api", "unordered_access", "read"},
                                         Broken{"simple_streams", "unordered_access", "read"},
                                         Broken{"multi_copy", "unordered_access", "filled"},
                                         Broken{"concurrent_kernels", "unordered_access", "sums up"},
                                         Broken{"overlapped_transfers", "copy_out_of_bounds", "beyond"},
                                         Broken{"bandwidth", "wrong_copy_direction", "d2h"},
                                         Broken{"gaussian_overlap", "unordered_access", "blurs"},
                                         Broken{"captured_graph", "unordered_access", "adds too early"},
                                         Broken{"managed_vector_add", "unordered_access", "read"},
                                         Broken{"reduction", "barrier_diverged", "diverged"},
                                         Broken{"cooperative", "kernel_out_of_bounds", "write in filter"},
                                         Broken{"templates_and_lambdas", "device_pointer_on_host", "device pointer"},
                                         Broken{"multi_file", "use_after_free", "write in offset"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace simulator
