// Builds a CUDA file for either device: with g++ or clang++ for the simulated one, with nvcc for a GPU.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace compiler {

enum class Device { simulated, gpu };

struct BuildRequest {
    Device device = Device::simulated;
    bool lab = false;                            // link the harness of lab programs
    std::vector<std::filesystem::path> sources;  // .cu, .cpp, .cc, .cxx
    std::filesystem::path output;
    std::vector<std::string> include_directories;
    std::vector<std::string> definitions;  // NAME or NAME=VALUE
    std::string standard = "c++20";
    std::string architecture = "all";   // GPU: sm_NN, or every one that this nvcc knows
    std::filesystem::path depfile;      // written in make's syntax when not empty
    std::filesystem::path source_root;  // of this repository; empty: found by locate()
    std::filesystem::path build_root;   // of its Meson build; empty: found by locate()
    std::string host_compiler;          // g++ or clang++; empty: the one this program was configured with
    bool color = false;                 // colored compiler messages
    bool self_contained = false;        // GPU: nothing that records a trace, no library that another machine may lack
};

struct BuildResult {
    bool ok = false;
    int exit_status = 0;      // 0 built; 1 the program does not compile or link; 2 it could not be tried
    std::string diagnostics;  // the compiler's messages as they came, or one line that says what is missing
};

// Builds one program. The output file is replaced only by a program that was built. Errors are in the result.
BuildResult build_program(const BuildRequest& request);

}  // namespace compiler
