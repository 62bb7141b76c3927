// The texts from which the fuzzer starts, and those on which it once found something, as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "launch_syntax_properties.hpp"

namespace {

std::vector<std::filesystem::path> corpus() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(CORPUS)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(LaunchSyntaxCorpus, is_there) {
    EXPECT_GE(corpus().size(), 20u);
}

TEST(LaunchSyntaxCorpus, keeps_every_promise) {
    for (const auto& file : corpus()) {
        EXPECT_EQ(fuzz::broken_promise(content_of(file)), "") << file;
    }
}

TEST(LaunchSyntaxCorpus, keeps_every_promise_wherever_it_ends) {
    for (const auto& file : corpus()) {
        const std::string text = content_of(file);
        for (std::size_t length = 0; length < text.size() && !HasFailure(); length += 1 + text.size() / 200) {
            EXPECT_EQ(fuzz::broken_promise(text.substr(0, length)), "") << file << ", " << length << " bytes";
        }
    }
}

}  // namespace
