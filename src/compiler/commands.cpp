#include "compiler/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <string_view>

#include "compiler/child_process.hpp"
#include "compiler/configuration.hpp"
#include "compiler/rewritten_sources.hpp"

namespace compiler {
namespace {

namespace fs = std::filesystem;

void append(Command& command, std::initializer_list<const char*> arguments) {
    command.insert(command.end(), arguments.begin(), arguments.end());
}

std::vector<std::string> words(const char* text) {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) {
        result.push_back(word);
    }
    return result;
}

std::string host_compiler(const BuildRequest& request) {
    return request.host_compiler.empty() ? configuration::host_compiler : request.host_compiler;
}

bool is_clang(const BuildRequest& request) {
    return request.host_compiler.empty() ? std::string_view(configuration::host_compiler_id) == "clang"
                                         : request.host_compiler.find("clang") != std::string::npos;
}

// Loads, stores and basic blocks are recorded by this project's own runtime, which knows of no function entries.
void append_instrumentation(Command& command, const BuildRequest& request, const Unit& unit) {
    append(command, {"-fsanitize=thread", "-fsanitize-coverage=trace-pc"});
    if (is_clang(request)) {
        append(command, {"-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-distinguish-volatile=1"});
        if (!unit.bit_fields) {  // setting one reads its neighbours, which need not be set yet
            append(command, {"-mllvm", "-tsan-instrument-read-before-write=1"});  // x += 1 reads x too, as with g++
        }
        append(command, {"-gdwarf-aranges"});  // elfutils finds an address's line through them; g++ writes them anyway
    } else {
        append(command, {"--param", "tsan-instrument-func-entry-exit=0", "--param", "tsan-distinguish-volatile=1"});
    }
    // Calls of these must stay calls, which the linker turns to the runtime; fortified ones would bypass it. A tail
    // call would hide the line that made it.
    append(command, {"-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-memcmp",
                     "-U_FORTIFY_SOURCE", "-fno-optimize-sibling-calls"});
}

void append_include_directories(Command& command, const BuildRequest& request, const Location& location,
                                const Unit& unit) {
    for (const fs::path& directory : unit.header_directories) {
        append(command, {"-iquote", directory.empty() ? "." : directory.c_str()});
    }
    const fs::path own = unit.source.parent_path();
    append(command, {"-I", own.empty() ? "." : own.c_str()});
    for (const fs::path& directory : include_directories(request, location)) {
        if (!unit.copies.empty()) {  // a header's rewritten text comes before the original
            append(command, {"-I", copy_of(directory, unit.copies).c_str()});
        }
        append(command, {"-I", directory.c_str()});
    }
}

void append_definitions(Command& command, const BuildRequest& request) {
    for (const std::string& definition : request.definitions) {
        append(command, {"-D", definition.c_str()});
    }
}

void append_output(Command& command, const BuildRequest& request, const Unit& unit) {
    if (!unit.dependencies.empty()) {
        append(command, {"-MMD", "-MF", unit.dependencies.c_str(), "-MT", request.output.c_str()});
    }
    append(command, {"-c", unit.input.c_str(), "-o", unit.object.c_str()});
}

// The simulated device's headers need C++17, which compiles what was written for older standards too.
std::string simulated_standard(const std::string& asked_for) {
    for (const char* const older : {"98", "03", "0x", "11", "1y", "14"}) {
        if (asked_for.ends_with(older)) {
            return asked_for.substr(0, asked_for.size() - 2) + "17";
        }
    }
    return asked_for;
}

Command simulated_compile_command(const BuildRequest& request, const Location& location, const Unit& unit) {
    Command command{host_compiler(request), "-std=" + simulated_standard(request.standard)};
    append(command, {"-O1", "-g", "-pipe", "-Wall", "-ffp-contract=off"});
    // nvcc knows `#pragma unroll`, and says nothing of `threadIdx.x < n`, which is everywhere.
    append(command, {"-Wno-unknown-pragmas", "-Wno-sign-compare"});
    append_instrumentation(command, request, unit);
    append(command, {"-D__CUDACC__", "-D__SIMULATED_DEVICE__"});
    append_definitions(command, request);
    append(command, {"-I", (location.source_root / "src/simulator/include").c_str()});
    append_include_directories(command, request, location, unit);
    if (unit.cuda) {  // a .cu file is C++ that includes the header by itself, as with nvcc
        append(command, {"-include", "cuda_runtime.h", "-x", "c++"});
    }
    append(command, {request.color ? "-fdiagnostics-color=always" : "-fdiagnostics-color=never"});
    append_output(command, request, unit);
    return command;
}

// "compute_NN" of those that this nvcc can build for, among the ones that the course supports.
std::vector<std::string> supported_architectures(const fs::path& nvcc) {
    const std::string listed = run_child({nvcc, "--list-gpu-arch"}).output;
    std::vector<std::string> result;
    for (const char* const number : {"75", "80", "86", "89", "90"}) {
        if (listed.find(std::string("compute_") + number) != std::string::npos) {
            result.emplace_back(number);
        }
    }
    return result;
}

void append_architectures(Command& command, const BuildRequest& request, const fs::path& nvcc) {
    if (request.architecture != "all") {
        const std::string number = request.architecture.substr(request.architecture.find('_') + 1);
        append(command, {"-gencode", ("arch=compute_" + number + ",code=sm_" + number).c_str()});
        return;
    }
    const auto numbers = supported_architectures(nvcc);
    for (const std::string& number : numbers) {
        append(command, {"-gencode", ("arch=compute_" + number + ",code=sm_" + number).c_str()});
    }
    if (!numbers.empty()) {  // newer GPUs compile this one when the program starts
        append(command, {"-gencode", ("arch=compute_" + numbers.back() + ",code=compute_" + numbers.back()).c_str()});
    }
}

Command gpu_compile_command(const BuildRequest& request, const Location& location, const Unit& unit) {
    const fs::path nvcc = find_nvcc();
    Command command{nvcc, "-std=" + request.standard, "-O2", "-lineinfo"};
    if (!request.host_compiler.empty()) {
        append(command, {"-ccbin", request.host_compiler.c_str()});
    }
    append_architectures(command, request, nvcc);
    append_definitions(command, request);
    append_include_directories(command, request, location, unit);
    append_output(command, request, unit);
    return command;
}

void append_libraries(Command& command, const BuildRequest& request, const Location& location) {
    // Programs that never name the hooks need them too: they start the trace.
    append(command, {"-Wl,--undefined=device_hooks_clock_ns"});
    append(command, {"-Wl,--start-group"});
    for (const fs::path& library : linked_libraries(request, location)) {
        command.push_back(library);
    }
    append(command, {"-Wl,--end-group"});
    const bool simulated = request.device == Device::simulated;
    for (const std::string& library :
         words(simulated ? configuration::simulated_system_libraries : configuration::gpu_system_libraries)) {
        command.push_back(library);
    }
}

}  // namespace

fs::path find_nvcc() {
    for (const char* const candidate : {configuration::nvcc, "/usr/local/cuda/bin/nvcc"}) {
        if (*candidate != '\0' && access(candidate, X_OK) == 0) {
            return candidate;
        }
    }
    const char* const path = std::getenv("PATH");
    std::istringstream directories(path != nullptr ? path : "");
    for (std::string directory; std::getline(directories, directory, ':');) {
        const fs::path candidate = fs::path(directory) / "nvcc";
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return {};
}

fs::path cuda_home() {
    return configuration::cuda_home;
}

std::vector<fs::path> include_directories(const BuildRequest& request, const Location& location) {
    std::vector<fs::path> directories(request.include_directories.begin(), request.include_directories.end());
    for (const char* const own : {"src/lab", "src"}) {
        directories.push_back(location.source_root / own);
    }
    return directories;
}

std::vector<fs::path> linked_libraries(const BuildRequest& request, const Location& location) {
    const bool simulated = request.device == Device::simulated;
    std::vector<std::string> names;
    if (request.lab) {
        names = words(simulated ? configuration::lab_simulated_libraries : configuration::lab_gpu_libraries);
    }
    const auto device = words(simulated ? configuration::simulated_libraries : configuration::gpu_libraries);
    names.insert(names.end(), device.begin(), device.end());
    std::vector<fs::path> libraries;
    std::transform(names.begin(), names.end(), std::back_inserter(libraries),
                   [&](const std::string& name) { return location.build_root / name; });
    return libraries;
}

Command compile_command(const BuildRequest& request, const Location& location, const Unit& unit) {
    return request.device == Device::simulated ? simulated_compile_command(request, location, unit)
                                               : gpu_compile_command(request, location, unit);
}

Command link_command(const BuildRequest& request, const Location& location, const std::vector<Unit>& units,
                     const fs::path& output) {
    const bool simulated = request.device == Device::simulated;
    Command command{simulated ? host_compiler(request) : find_nvcc().string()};
    if (!simulated && !request.host_compiler.empty()) {
        append(command, {"-ccbin", request.host_compiler.c_str()});
    }
    for (const Unit& unit : units) {
        command.push_back(unit.object);
    }
    if (simulated) {
        append(command, {"-Wl,--undefined=clock_gettime"});  // the program's clocks: src/simulator/clocks.cpp
        for (const char* const function :
             {"memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr", "strcpy", "strncpy", "strcat", "strlen",
              "strcmp", "strncmp", "fread", "fwrite", "read", "write",
              "_ZNSo5writeEPKcl", "_ZNSi4readEPcl"}) {  // std::ostream::write, std::istream::read
            append(command, {(std::string("-Wl,--wrap=") + function).c_str()});
        }
        append_libraries(command, request, location);
    } else {
        append(command, {"-cudart", "static"});
        if (request.self_contained) {
            append(command, {"-Xcompiler", "-static-libstdc++,-static-libgcc", "-o", output.c_str()});
            return command;
        }
        // So that a lab's budget of device memory holds (src/gpu/memory_budget.cpp).
        for (const char* const function : {"cudaMalloc", "cudaMallocPitch", "cudaMalloc3D", "cudaMallocManaged",
                                           "cudaMallocAsync", "cudaFree", "cudaFreeAsync", "cudaMemGetInfo"}) {
            append(command, {"-Xlinker", (std::string("--wrap=") + function).c_str()});
        }
        Command group;
        append_libraries(group, request, location);
        for (const std::string& argument : group) {  // nvcc hands options of the linker on only behind -Xlinker
            if (argument.starts_with("-Wl,")) {
                append(command, {"-Xlinker", argument.c_str() + 4});
            } else if (argument.ends_with(
                           ".a")) {  // holds no device code, and nvlink cannot read Meson's thin archives
                append(command, {"-Xlinker", argument.c_str()});
            } else {
                command.push_back(argument);
            }
        }
    }
    append(command, {"-o", output.c_str()});
    return command;
}

}  // namespace compiler
