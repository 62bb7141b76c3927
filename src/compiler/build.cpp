#include "compiler/build.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "compiler/child_process.hpp"
#include "compiler/commands.hpp"
#include "compiler/location.hpp"
#include "compiler/work_directory.hpp"
#include "simulator/launch_syntax/rewrite.hpp"

namespace compiler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t parallel_compilations = 2;
constexpr int does_not_compile = 1;
constexpr int cannot_be_tried = 2;

// Ends a build; build_program() turns it into its result.
struct BuildFailure {
    int exit_status;
    std::string diagnostics;
};

[[noreturn]] void refuse(std::string message) {
    throw BuildFailure{cannot_be_tried, "error: " + std::move(message) + "\n"};
}

std::string read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream || fs::is_directory(path)) {
        refuse(fmt::format("cannot read '{}'", path.string()));
    }
    return text;
}

void write_file(const fs::path& path, std::string_view text) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) {
        refuse(fmt::format("cannot write '{}'", path.string()));
    }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// A path as a prerequisite of a make rule.
std::string escaped_for_make(std::string_view path) {
    std::string escaped;
    for (const char c : path) {
        if (c == ' ' || c == '#') {
            escaped += '\\';
        } else if (c == '$') {
            escaped += '$';
        }
        escaped += c;
    }
    return escaped;
}

class Build {
public:
    explicit Build(const BuildRequest& request)
        : request_(request), location_(locate(request.source_root, request.build_root)) {}

    BuildResult run() {
        check_request();
        for (const fs::path& source : request_.sources) {
            units_.push_back(prepare(source));
        }
        BuildResult result;
        compile(result);
        if (result.exit_status == 0) {
            link(result);
        }
        if (result.exit_status == 0 && !request_.depfile.empty()) {
            write_depfile();
        }
        result.ok = result.exit_status == 0;
        return result;
    }

private:
    void check_request() const {
        if (request_.sources.empty() || request_.output.empty()) {
            refuse("expected at least one source file and an output file");
        }
        for (const fs::path& source : request_.sources) {
            if (!fs::exists(source) || fs::is_directory(source)) {
                refuse(fmt::format("no such file: '{}'", source.string()));
            }
        }
        if (request_.device == Device::gpu && find_nvcc().empty()) {
            refuse("no nvcc found: building for a GPU needs the CUDA Toolkit (or use the simulated device)");
        }
    }

    Unit prepare(const fs::path& source) {
        const std::string name = fmt::format("source{}", units_.size());
        Unit unit;
        unit.source = source;
        unit.input = source;
        unit.object = work_.path() / (name + ".o");
        unit.cuda = source.extension() == ".cu";
        if (!request_.depfile.empty()) {
            unit.dependencies = work_.path() / (name + ".d");
        }
        if (request_.device == Device::simulated && unit.cuda) {
            unit.input = work_.path() / (name + ".cpp");
            write_file(unit.input, rewritten(source));
        }
        return unit;
    }

    static std::string rewritten(const fs::path& source) {
        auto result = simulator::rewrite_launches(read_file(source), source.string());
        std::string messages;
        for (const auto& error : result.errors) {
            messages += simulator::describe(error, source.string()) + "\n";
        }
        if (!result.ok()) {
            throw BuildFailure{does_not_compile, std::move(messages)};
        }
        return std::move(result.text);
    }

    ChildResult run_command(const Command& command) const {
        try {
            ChildResult result = run_child(command);
            for (const Unit& unit : units_) {
                replace_all(result.output, unit.input.string(), unit.source.string());
            }
            return result;
        } catch (const std::system_error& error) {
            refuse(fmt::format("cannot run the compiler: {}", error.what()));
        }
    }

    static void add(BuildResult& result, const ChildResult& child) {
        result.diagnostics += child.output;
        if (child.exit_status != 0) {
            result.exit_status = does_not_compile;
        }
    }

    void compile(BuildResult& result) {
        for (std::size_t first = 0; first < units_.size(); first += parallel_compilations) {
            std::vector<std::future<ChildResult>> running;
            for (std::size_t i = first; i < std::min(first + parallel_compilations, units_.size()); ++i) {
                running.push_back(std::async(std::launch::async, [this, i] {
                    return run_command(compile_command(request_, location_, units_[i]));
                }));
            }
            for (auto& compilation : running) {
                add(result, compilation.get());
            }
        }
    }

    void link(BuildResult& result) const {
        for (const fs::path& library : linked_libraries(request_, location_)) {
            if (!fs::exists(library)) {
                refuse(fmt::format("the library '{}' is missing: build the project first", library.string()));
            }
        }
        // A program that is running, or that another build is reading, must not change under it.
        const fs::path fresh = fmt::format("{}.{}.new", request_.output.string(), getpid());
        const ChildResult child = run_command(link_command(request_, location_, units_, fresh));
        add(result, child);
        std::error_code error;
        if (child.exit_status == 0) {
            fs::rename(fresh, request_.output, error);
        }
        if (error) {
            fs::remove(fresh);
            refuse(fmt::format("cannot write '{}': {}", request_.output.string(), error.message()));
        }
    }

    // One rule for the program, with the prerequisites of all its sources.
    void write_depfile() const {
        std::string rule = escaped_for_make(request_.output.string()) + ":";
        for (const Unit& unit : units_) {
            std::string text = read_file(unit.dependencies);
            replace_all(text, escaped_for_make(unit.input.string()), escaped_for_make(unit.source.string()));
            text = text.substr(text.find(": ") + 1);
            while (text.ends_with('\n')) {
                text.pop_back();
            }
            rule += text;
        }
        write_file(request_.depfile, rule + "\n");
    }

    const BuildRequest& request_;
    Location location_;
    WorkDirectory work_;
    std::vector<Unit> units_;
};

}  // namespace

BuildResult build_program(const BuildRequest& request) {
    try {
        return Build(request).run();
    } catch (const BuildFailure& failure) {
        return {false, failure.exit_status, failure.diagnostics};
    } catch (const std::exception& error) {
        return {false, cannot_be_tried, fmt::format("error: {}\n", error.what())};
    }
}

}  // namespace compiler
