// course-cc: compiles a CUDA program for the simulated device or for a GPU.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "compiler/build.hpp"

namespace {

constexpr int usage_error = 2;

// Every architecture that the course supports, or one: sm_90, sm_90a.
const CLI::Validator architecture_name(
    [](const std::string& name) {
        const bool one = name.starts_with("sm_") && name.size() > 3 && name[3] >= '1' && name[3] <= '9' &&
                         name.find_first_not_of("0123456789af", 3) == std::string::npos;
        return one || name == "all" ? std::string() : "expected all or an architecture such as sm_90, found " + name;
    },
    "all|sm_NN");

void add_options(CLI::App& app, compiler::BuildRequest& request) {
    app.add_option_function<std::string>(
           "--device",
           [&request](const std::string& name) {
               request.device = name == "gpu" ? compiler::Device::gpu : compiler::Device::simulated;
           },
           "the device to build for")
        ->required()
        ->check(CLI::IsMember({"sim", "gpu"}));
    app.add_flag("--lab", request.lab, "link the harness of lab programs");
    app.add_option("-I", request.include_directories, "a directory for #include")->allow_extra_args(false);
    app.add_option("-D", request.definitions, "define a macro: NAME or NAME=VALUE")->allow_extra_args(false);
    app.add_option("--std", request.standard, "the C++ standard; the simulated device takes one before C++17 for that")->capture_default_str();
    app.add_option("--arch", request.architecture, "GPU: an architecture such as sm_90, or all")
        ->check(architecture_name)
        ->capture_default_str();
    app.add_option("--depfile", request.depfile, "write the files that the program was made of, as a make rule");
    app.add_option("--source-root", request.source_root,
                   "the repository (default: COURSE_ROOT, or where it was built)");
    app.add_option("--build-root", request.build_root, "its Meson build");
    app.add_option("--cxx", request.host_compiler, "the C++ compiler: g++ or clang++");
    app.add_option("-o", request.output, "the program to write")->required();
    app.add_option("FILE", request.sources, "the sources: .cu or .cpp")->required();
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Compiles a CUDA program for the simulated device or for a GPU.", "course-cc");
    compiler::BuildRequest request;
    add_options(app, request);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return app.exit(error);
        }
        std::fprintf(stderr, "course-cc: %s (course-cc --help lists the options)\n", error.what());
        return usage_error;
    }
    request.color = isatty(STDERR_FILENO) != 0;
    const compiler::BuildResult result = compiler::build_program(request);
    std::fputs(result.diagnostics.c_str(), stderr);
    return result.exit_status;
}
