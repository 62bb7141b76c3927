#include "compiler/build.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "compiler/child_process.hpp"
#include "compiler/commands.hpp"
#include "compiler/work_directory.hpp"
#include "device/trace.hpp"

namespace {

namespace fs = std::filesystem;
using compiler::BuildRequest;
using compiler::BuildResult;

class Build : public testing::Test {
protected:
    BuildRequest request() const {
        BuildRequest request;
        request.output = work_.path() / "program";
        return request;
    }

    fs::path write(const std::string& name, const std::string& text) const {
        const fs::path path = work_.path() / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path;
    }

    static std::string read(const fs::path& path) {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    compiler::WorkDirectory work_;
};

TEST_F(Build, RefusesAMissingFile) {
    auto missing = request();
    missing.sources = {work_.path() / "none.cu"};
    const BuildResult result = build_program(missing);
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.diagnostics, "error: no such file: '" + (work_.path() / "none.cu").string() + "'\n");
}

TEST_F(Build, RefusesNoFileAtAll) {
    EXPECT_EQ(build_program(request()).exit_status, 2);
}

TEST_F(Build, RefusesAFileThatIsNoSource) {
    auto other = request();
    other.sources = {write("program", "int main() {}\n")};
    const BuildResult result = build_program(other);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_EQ(result.diagnostics,
              "error: expected a file whose name ends in .cu, found '" + other.sources.front().string() + "'\n");
}

TEST_F(Build, RefusesADirectory) {
    auto directory = request();
    directory.sources = {work_.path()};
    EXPECT_EQ(build_program(directory).exit_status, 2);
}

TEST_F(Build, RefusesAnUnknownCompiler) {
    auto unknown = request();
    unknown.sources = {write("a.cu", "int main() {}\n")};
    unknown.host_compiler = "/nonexistent/g++";
    const BuildResult result = build_program(unknown);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.diagnostics.find("/nonexistent/g++"), std::string::npos) << result.diagnostics;
}

TEST_F(Build, ReportsALaunchThatCannotBeRewritten) {
    auto bad = request();
    bad.sources = {write("a.cu", "__global__ void k() {}\nint main() {\n    k<<<1>>>();\n}\n")};
    const BuildResult result = build_program(bad);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_TRUE(result.diagnostics.starts_with(bad.sources[0].string() + ":3:6: error: expected 2 to 4"))
        << result.diagnostics;
    EXPECT_FALSE(fs::exists(bad.output));
}

TEST_F(Build, ShowsTheCompilersMessageWithTheUsersLine) {
    auto bad = request();
    bad.sources = {
        write("a.cu", "__global__ void k(int*) {}\nint main() {\n    k<<<1,\n 2>>>(nullptr);\n    return none;\n}\n")};
    const BuildResult result = build_program(bad);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.diagnostics.find(bad.sources[0].string() + ":5:12: error:"), std::string::npos)
        << result.diagnostics;
    EXPECT_EQ(result.diagnostics.find("source0"), std::string::npos) << result.diagnostics;
}

TEST_F(Build, NamesTheDeviceFunctionsThatAreNotSimulated) {
    for (const auto& [statement, message] :
         {std::pair("p[0] = __dp4a(1, 2, 3);", "__dp4a is not simulated"),
          std::pair("p[0] = __shfl_down(p[0], 1);", "__shfl_down does not exist on today's GPUs"),
          std::pair("cooperative_groups::this_grid();", "this_grid is not simulated"),
          std::pair("} __device__ __managed__ int m; void f() {", "__managed__ variables are not simulated")}) {
        auto bad = request();
        bad.sources = {write("a.cu", std::string("#include <cooperative_groups.h>\n__global__ void k(int* p) {\n") +
                                         statement + "\n}\nint main() { k<<<1, 1>>>(nullptr); }\n")};
        const BuildResult result = build_program(bad);
        EXPECT_EQ(result.exit_status, 1) << statement;
        EXPECT_NE(result.diagnostics.find(message), std::string::npos) << result.diagnostics;
        EXPECT_NE(result.diagnostics.find(bad.sources[0].string() + ":3:"), std::string::npos) << result.diagnostics;
    }
}

TEST_F(Build, NamesTheCallsAndLibrariesThatAreNotSimulated) {
    for (const auto& [source, message] :
         {std::pair("#include <thrust/device_vector.h>\nint main() {}\n", "Thrust is not simulated"),
          std::pair("#include <cuda.h>\nint main() { cuInit(0); }\n", "cuInit is not simulated"),
          std::pair("int main() {\n    cudaArray_t a; cudaMallocArray(&a, 0, 1, 1); }\n",
                    "cudaMallocArray is not simulated"),
          std::pair("#include <cuda_runtime.h>\nint main() { unsigned long keep = 0; cudaMemPool_t pool{};"
                    "cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep); }\n",
                    "cudaMemPoolSetAttribute is not simulated"),
          std::pair("int main() {\n    cudaThreadSynchronize(); }\n",
                    "cudaThreadSynchronize does not exist any more: use cudaDeviceSynchronize"),
          std::pair("int main() {\n    cudaDeviceProp p{}; return p.clockRate; }\n",
                    "call cudaDeviceGetAttribute with cudaDevAttrClockRate")}) {
        auto bad = request();
        bad.sources = {write("a.cu", source)};
        const BuildResult result = build_program(bad);
        EXPECT_EQ(result.exit_status, 1) << source;
        EXPECT_NE(result.diagnostics.find(message), std::string::npos) << result.diagnostics;
        EXPECT_NE(result.diagnostics.find(bad.sources[0].string() + ":"), std::string::npos) << result.diagnostics;
    }
}

TEST_F(Build, TakesAFileThatBeginsWithAByteOrderMark) {
    auto marked = request();
    marked.sources = {write("a.cu", "\xEF\xBB\xBF__global__ void k() {}\nint main() {\n    k<<<1, 2>>>();\n}\n")};
    const BuildResult result = build_program(marked);
    EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST_F(Build, ShowsArgumentsThatDoNotFitAtTheLaunch) {
    auto bad = request();
    bad.sources = {write(
        "a.cu", "__global__ void k(int*, int) {}\nint main() {\n    float* p = nullptr;\n    k<<<1, 2>>>(p, 3);\n}\n")};
    const BuildResult result = build_program(bad);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.diagnostics.find(bad.sources[0].string() + ":4:"), std::string::npos) << result.diagnostics;
    EXPECT_NE(result.diagnostics.find("the kernel's parameters"), std::string::npos) << result.diagnostics;
}

TEST_F(Build, NamesTheMissingLibrary) {
    auto early = request();
    early.sources = {write("a.cu", "int main() {}\n")};
    early.build_root = work_.path();
    const BuildResult result = build_program(early);
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_NE(result.diagnostics.find(work_.path() / "src/"), std::string::npos) << result.diagnostics;
    EXPECT_NE(result.diagnostics.find("build the project first"), std::string::npos) << result.diagnostics;
}

class Headers : public Build {
protected:
    // part/kernels.cuh launches, between.h includes it, plain.h lies beside it.
    BuildRequest program(const std::string& launch) const {
        auto result = request();
        result.sources = {
            write("main/main.cu", "#include \"../between.h\"\n#include \"../between.h\"\nint main() { go(); }\n")};
        write("between.h", "#pragma once\n#include \"part/kernels.cuh\"\n#include \"part/plain.h\"\n");
        write("part/kernels.cuh",
              "#pragma once\n#include \"plain.h\"\n__global__ void k(int) {}\ninline void go() {\n" + launch + "\n}\n");
        write("part/plain.h", "#pragma once\nconstexpr int plain = 2;\n");
        result.depfile = work_.path() / "program.d";
        return result;
    }
};

TEST_F(Headers, MayLaunch) {
    const auto request = program("k<<<1, 2>>>(plain);");
    const BuildResult result = build_program(request);
    EXPECT_TRUE(result.ok) << result.diagnostics;
    EXPECT_EQ(compiler::run_child({request.output}).exit_status, 0);
    const std::string rule = read(request.depfile);
    EXPECT_NE(rule.find(work_.path() / "main/../part/kernels.cuh"), std::string::npos) << rule;
    EXPECT_EQ(rule.find("source0"), std::string::npos) << rule;
}

// As with -I of any compiler: a header that launches need not lie beside the source.
TEST_F(Build, FindsAHeaderThatLaunchesInAnIncludeDirectory) {
    BuildRequest program = request();
    write("include/parts/launcher.cuh", "__global__ void kernel() {}\ninline void launch() { kernel<<<1, 1>>>(); }\n");
    program.include_directories = {(work_.path() / "include").string()};
    program.sources = {write("a.cu", "#include \"parts/launcher.cuh\"\nint main() { launch(); }\n")};
    const BuildResult result = build_program(program);
    EXPECT_TRUE(result.ok) << result.diagnostics;
}

TEST_F(Headers, KeepTheirLines) {
    const BuildResult result = build_program(program("k<<<1, 2>>>(none);"));
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.diagnostics.find("part/kernels.cuh:5:"), std::string::npos) << result.diagnostics;
    EXPECT_EQ(result.diagnostics.find("source0"), std::string::npos) << result.diagnostics;
}

TEST_F(Headers, HaveTheirMistakesReported) {
    const BuildResult result = build_program(program("k<<<1>>>(plain);"));
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.diagnostics.find("part/kernels.cuh:5:2: error: expected 2 to 4"), std::string::npos)
        << result.diagnostics;
}

constexpr const char* whole_program = R"(#include "values.h"
#include <cstdio>
int other_part();
__global__ void fill(int* out, int n, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}
int main() {
    int* device = nullptr;
    int host[VALUES] = {};
    cudaMalloc(&device, sizeof(host));
    fill<<<2, 4>>>(device, VALUES, SEVEN);
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(device);
    std::printf("%d %d %d\n", host[0], host[VALUES - 1], other_part());
}
)";

class BuildWith : public Build, public testing::WithParamInterface<const char*> {};

TEST_P(BuildWith, AProgramOfTwoSourcesRuns) {
    if (compiler::run_child({"/usr/bin/env", "which", GetParam()}).exit_status != 0) {
        GTEST_SKIP() << GetParam() << " is not installed";
    }
    auto program = request();
    program.host_compiler = GetParam();
    program.sources = {write("a part.cu", whole_program), write("b.cpp", "int other_part() { return 3; }\n")};
    write("include/values.h", "constexpr int VALUES = 5;\n");
    program.include_directories = {work_.path() / "include"};
    program.definitions = {"SEVEN=7"};
    program.depfile = work_.path() / "program.d";
    const BuildResult result = build_program(program);
    ASSERT_TRUE(result.ok) << result.diagnostics;
    EXPECT_EQ(result.exit_status, 0);
    EXPECT_EQ(result.diagnostics, "");
    EXPECT_EQ(compiler::run_child({program.output}).output, "7 7 3\n");

    const fs::path trace_file = work_.path() / "trace.json";
    ASSERT_EQ(
        compiler::run_child({"/usr/bin/env", "COURSE_TRACE_FILE=" + trace_file.string(), program.output}).exit_status,
        0);
    const device::Trace trace = device::read_trace(trace_file);
    ASSERT_EQ(trace.operations.size(), 2u);
    EXPECT_EQ(trace.operations[0].name, "fill");
    EXPECT_EQ(trace.operations[0].at, (device::SourceLine{program.sources[0], 12}));

    const std::string rule = read(program.depfile);
    EXPECT_TRUE(rule.starts_with(program.output.string() + ":")) << rule;
    for (const char* const file : {"/a\\ part.cu", "/b.cpp", "/include/values.h", "cuda_runtime.h"}) {
        EXPECT_NE(rule.find(file), std::string::npos) << file << "\n" << rule;
    }
    EXPECT_EQ(rule.find("source0"), std::string::npos) << rule;
}

// How a structure is read, and what else is read where one of its bit fields is set, differs between compilers.
TEST_P(BuildWith, NothingIsFoundWhereStructuresAreWrittenInPart) {
    if (compiler::run_child({"/usr/bin/env", "which", GetParam()}).exit_status != 0) {
        GTEST_SKIP() << GetParam() << " is not installed";
    }
    auto program = request();
    program.host_compiler = GetParam();
    program.sources = {fs::path(PROGRAM_DIRECTORY) / "parts_of_structures.cu"};
    const BuildResult result = build_program(program);
    ASSERT_TRUE(result.ok) << result.diagnostics;
    EXPECT_EQ(compiler::run_child({program.output}).output, "0 wrong\n") << "findings would stand there too";
}

INSTANTIATE_TEST_SUITE_P(Compilers, BuildWith, testing::Values("g++", "clang++"), [](const auto& info) {
    const std::string name = info.param;
    return name.substr(0, name.find('+'));
});

class Standard : public Build, public testing::WithParamInterface<const char*> {};

TEST_P(Standard, CompilesForTheSimulatedDevice) {
    auto program = request();
    program.standard = GetParam();
    program.sources = {write("a.cu", R"(
template <class T> __global__ void fill(T* to, int value = 3) { to[threadIdx.x] = T(value); }
__global__ void plain(int* to) { *to = 1; }
int main() {
    int* device = NULL;
    cudaMalloc(&device, 16);
    fill<int><<<1, 4>>>(device);
    fill<<<1, 4>>>(device, 0);
    plain<<<1, 1>>>(device);
    return cudaFree(device);
}
)")};
    const BuildResult result = build_program(program);
    EXPECT_TRUE(result.ok) << result.diagnostics;
    EXPECT_EQ(compiler::run_child({program.output}).exit_status, 0);
}

INSTANTIATE_TEST_SUITE_P(Standards, Standard, testing::Values("c++11", "c++14", "gnu++17", "c++20"),
                         [](const auto& info) {
                             const std::string name = info.param;
                             return name.substr(0, name.find('+')) + name.substr(name.size() - 2);
                         });

TEST_F(Build, KeepsTheOldProgramWhenTheNewOneDoesNotCompile) {
    auto program = request();
    write("program", "old");
    program.sources = {write("a.cu", "int main() { return none; }\n")};
    EXPECT_EQ(build_program(program).exit_status, 1);
    EXPECT_EQ(read(program.output), "old");
}

// nvcc on the PATH may be a script that starts the real one elsewhere; the headers lie with the real one.
TEST(Toolkit, IsFoundWhereItsHeadersAre) {
    if (compiler::cuda_home().empty()) {
        GTEST_SKIP() << "built without a CUDA Toolkit";
    }
    EXPECT_TRUE(fs::exists(compiler::cuda_home() / "include" / "cuda_runtime.h")) << compiler::cuda_home();
}

TEST_F(Build, LeavesNoIntermediateFilesBehind) {
    auto program = request();
    program.sources = {write("a.cu", "int main() {}\n")};
    EXPECT_TRUE(build_program(program).ok);
    EXPECT_EQ(std::distance(fs::directory_iterator(work_.path()), fs::directory_iterator()), 2);
}

}  // namespace
