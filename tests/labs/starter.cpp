// Writes the starter of a lab that the tests judge: `starter LAB FILE`. Students edit the one in labs/.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "course/project.hpp"
#include "course/starter.hpp"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: starter LAB FILE\n");
        return 2;
    }
    try {
        const std::string starter = course::starter_for_tests(course::find_project(), course::require_lab(argv[1]));
        // An unchanged file keeps its time, so that nothing is compiled again.
        if (std::filesystem::exists(argv[2]) && course::content_of(argv[2]) == starter) {
            return 0;
        }
        std::ofstream file(argv[2], std::ios::binary);
        if (!(file << starter).flush()) {
            std::fprintf(stderr, "%s could not be written\n", argv[2]);
            return 2;
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "starter: %s\n", error.what());
        return 2;
    }
}
