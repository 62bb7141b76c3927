// The command lines of the compilers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/build.hpp"
#include "compiler/location.hpp"

namespace compiler {

using Command = std::vector<std::string>;

// One source on its way to an object file.
struct Unit {
    std::filesystem::path source;  // as the user named it
    std::filesystem::path input;   // what the compiler reads: the source, or its rewritten text
    std::filesystem::path object;
    std::filesystem::path dependencies;                     // make's rule for the object; empty when not asked for
    std::vector<std::filesystem::path> header_directories;  // those of rewritten headers
    std::filesystem::path copies;                           // the folder of rewritten files; empty when there are none
    bool cuda = false;                                      // a .cu file
    bool bit_fields = false;                                // it, or a header of its own, seems to have some
};

// The folders in which a program's own headers are looked for beside its own, in this order.
std::vector<std::filesystem::path> include_directories(const BuildRequest& request, const Location& location);

Command compile_command(const BuildRequest& request, const Location& location, const Unit& unit);

Command link_command(const BuildRequest& request, const Location& location, const std::vector<Unit>& units,
                     const std::filesystem::path& output);

// The static libraries that link_command() names.
std::vector<std::filesystem::path> linked_libraries(const BuildRequest& request, const Location& location);

// The nvcc to use; empty without a CUDA Toolkit.
std::filesystem::path find_nvcc();

// The folder of the CUDA Toolkit that this was built with; empty without one.
std::filesystem::path cuda_home();

}  // namespace compiler
