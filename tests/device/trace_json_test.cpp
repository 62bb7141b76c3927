#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

#include "device/trace.hpp"

namespace {

using namespace std::chrono_literals;

class TraceFile : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "trace_json_test.XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        file_ = folder_ / "trace.json";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string content() const {
        std::ostringstream out;
        out << std::ifstream(file_).rdbuf();
        return out.str();
    }

    // The error of reading `text`, without the file's path.
    std::string error_of(const std::string& text) const {
        std::ofstream(file_) << text;
        return error();
    }

    std::string error() const {
        try {
            device::read_trace(file_);
        } catch (const std::runtime_error& error) {
            const std::string message = error.what();
            const std::string prefix = file_.string() + ": ";
            return message.starts_with(prefix) ? message.substr(prefix.size()) : "no file named: " + message;
        }
        return "no error";
    }

    // The error after `from` is replaced by `to` in a sound trace.
    std::string error_after(const std::string& from, const std::string& to) const;

    std::filesystem::path folder_;
    std::filesystem::path file_;
};

device::Trace sample() {
    device::Trace trace;
    trace.device = "NVIDIA H200";
    trace.profile = "h200-pcie5";
    trace.simulated = true;
    trace.copy_engines = 2;
    trace.operations = {{.id = 1,
                         .kind = device::OperationKind::host_to_device,
                         .name = "cudaMemcpyAsync",
                         .stream = 1,
                         .issued = 10ns,
                         .start = 20ns,
                         .end = 9'000'000'000'000ns,
                         .bytes = 5'000'000'000,
                         .host_memory = device::HostMemory::pinned,
                         .asynchronous = true,
                         .at = {"lab.cu", 12}},
                        {.id = 2,
                         .kind = device::OperationKind::kernel,
                         .name = "scale<\"a\", \\>\n核",
                         .stream = 0,
                         .issued = 11ns,
                         .start = 30ns,
                         .end = 40ns,
                         .bytes = 0,
                         .host_memory = device::HostMemory::none,
                         .asynchronous = true,
                         .at = {}}};
    trace.host_calls = {{"cudaMalloc", 1ns, 2ns, {"lab.cu", 7}}, {"cudaFree", 50ns, 60ns, {}}};
    trace.ranges = {{"run", 5ns, 45ns}};
    trace.findings = {
        {.kind = "unordered_access",
         .severity = device::Severity::error,
         .at = {"lab.cu", 12},
         .other = {"lab.cu", 14},
         .details = {{"bytes", "64"}, {"first", "x"}}},
        {.kind = "leaked_stream", .severity = device::Severity::warning, .at = {}, .other = {}, .details = {}}};
    return trace;
}

std::string TraceFile::error_after(const std::string& from, const std::string& to) const {
    device::write_trace(file_, sample());
    std::string text = content();
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return error_of(text.replace(at, from.size(), to));
}

TEST_F(TraceFile, ComesBackAsItWas) {
    device::write_trace(file_, sample());
    EXPECT_EQ(device::read_trace(file_), sample());
}

TEST_F(TraceFile, EveryKindAndMemoryComesBack) {
    device::Trace trace;
    for (const auto kind : {device::OperationKind::host_to_device, device::OperationKind::device_to_host,
                            device::OperationKind::device_to_device, device::OperationKind::host_to_host,
                            device::OperationKind::memset, device::OperationKind::kernel}) {
        for (const auto memory : {device::HostMemory::none, device::HostMemory::pageable, device::HostMemory::pinned,
                                  device::HostMemory::registered}) {
            device::Operation operation;
            operation.kind = kind;
            operation.host_memory = memory;
            trace.operations.push_back(operation);
        }
    }
    device::write_trace(file_, trace);
    EXPECT_EQ(device::read_trace(file_), trace);
}

TEST_F(TraceFile, AnEmptyTraceComesBack) {
    device::write_trace(file_, {});
    EXPECT_EQ(device::read_trace(file_), device::Trace{});
}

TEST_F(TraceFile, OneOperationPerLineInAStableOrder) {
    device::Trace trace;
    trace.device = "X";
    trace.operations = {sample().operations[0], sample().operations[0]};
    trace.ranges = sample().ranges;
    device::write_trace(file_, trace);
    const std::string operation =
        R"({"id":1,"kind":"host_to_device","name":"cudaMemcpyAsync","stream":1,"issued_ns":10,"start_ns":20,)"
        R"("end_ns":9000000000000,"bytes":5000000000,"host_memory":"pinned","asynchronous":true,)"
        R"("at":{"file":"lab.cu","line":12}})";
    EXPECT_EQ(content(),
              "{\n"
              "  \"format\": \"keep-the-gpu-busy trace\",\n"
              "  \"version\": 1,\n"
              "  \"device\": \"X\",\n"
              "  \"profile\": \"\",\n"
              "  \"simulated\": false,\n"
              "  \"copy_engines\": 0,\n"
              "  \"operations\": [\n    " +
                  operation + ",\n    " + operation +
                  "\n  ],\n"
                  "  \"host_calls\": [],\n"
                  "  \"ranges\": [\n"
                  "    {\"name\":\"run\",\"start_ns\":5,\"end_ns\":45}\n"
                  "  ],\n"
                  "  \"findings\": []\n"
                  "}\n");
}

TEST_F(TraceFile, WritingReplacesALongerFile) {
    device::write_trace(file_, sample());
    device::write_trace(file_, {});
    EXPECT_EQ(device::read_trace(file_), device::Trace{});
}

TEST_F(TraceFile, NamesThatAreNotUtf8DoNotLoseTheTrace) {
    auto trace = sample();
    trace.operations[0].name = "bad\xFF name";
    device::write_trace(file_, trace);
    EXPECT_EQ(device::read_trace(file_).operations[0].name, "bad\xEF\xBF\xBD name");
}

TEST_F(TraceFile, AMissingFileIsNamed) {
    EXPECT_EQ(error(), "expected a trace file, found No such file or directory");
}

TEST_F(TraceFile, AFolderIsNoTrace) {
    std::filesystem::create_directory(file_);
    EXPECT_EQ(error(), "expected a trace file, found a directory");
}

TEST_F(TraceFile, BrokenJsonSaysWhere) {
    EXPECT_TRUE(error_of("{\"format\": ").starts_with("expected JSON, found an error at byte 12")) << error();
    EXPECT_TRUE(error_of("").starts_with("expected JSON, found an error at byte 1")) << error();
}

TEST_F(TraceFile, AnotherFormatOrVersionIsRefused) {
    EXPECT_EQ(error_of("[]"), "expected an object, found []");
    EXPECT_EQ(error_of("{}"), "expected a member \"format\", found none");
    EXPECT_EQ(error_of(R"({"format": "chrome"})"), "expected \"keep-the-gpu-busy trace\" at format, found \"chrome\"");
    EXPECT_EQ(error_after("\"version\": 1", "\"version\": 2"), "expected version 1 at version, found 2");
}

TEST_F(TraceFile, WrongValuesAreNamedWithTheirPlace) {
    EXPECT_EQ(
        error_after("\"kind\":\"kernel\"", "\"kind\":\"cuda\""),
        "expected one of \"host_to_device\", \"device_to_host\", \"device_to_device\", \"host_to_host\", \"memset\", "
        "\"kernel\", \"host_function\" at operations[1].kind, found \"cuda\"");
    EXPECT_EQ(
        error_after("\"start_ns\":20", "\"start_ns\":2.5"),
        "expected an integer from -9223372036854775808 to 9223372036854775807 at operations[0].start_ns, found 2.5");
    EXPECT_EQ(error_after("\"stream\":1", "\"stream\":-1"),
              "expected an integer from 0 to 4294967295 at operations[0].stream, found -1");
    EXPECT_EQ(error_after("\"stream\":1", "\"stream\":4294967296"),
              "expected an integer from 0 to 4294967295 at operations[0].stream, found 4294967296");
    EXPECT_EQ(error_after("\"asynchronous\":true", "\"asynchronous\":1"),
              "expected true or false at operations[0].asynchronous, found 1");
    EXPECT_EQ(error_after("\"bytes\":\"64\"", "\"bytes\":64"),
              "expected a string at findings[0].details.bytes, found 64");
    EXPECT_EQ(error_after("\"ranges\": [", "\"ranges\": 7, \"x\": ["), "expected an array at ranges, found 7");
    EXPECT_EQ(error_after("\"line\":7", "\"lines\":7"), "expected a member \"line\" at host_calls[0].at, found none");
}

TEST_F(TraceFile, AFileThatCannotBeWrittenIsNamed) {
    const auto file = folder_ / "missing" / "trace.json";
    try {
        device::write_trace(file, {});
        FAIL() << "expected an error";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(),
                  file.string() + ": expected a file that can be written, found No such file or directory");
    }
}

}  // namespace
