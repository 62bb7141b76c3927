#include "device/profile.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class ProfileFile : public testing::Test {
protected:
    ProfileFile() {
        std::string pattern = (fs::temp_directory_path() / "profile-test-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        device::save_profile(file(), device::load_profile(fs::path(PROFILE_DIRECTORY) / "h200-pcie5.json"));
    }
    ~ProfileFile() override { fs::remove_all(folder_); }

    fs::path file() const { return folder_ / "profile.json"; }

    // Why a profile with another value of one member is refused; empty when it is accepted.
    std::string refusal_with(const std::string& member, const Json& value) const {
        std::ifstream in(file());
        Json json = Json::parse(in);
        json.at(member) = value;
        const fs::path changed = folder_ / "changed.json";
        std::ofstream(changed) << json;
        try {
            device::load_profile(changed);
            return "";
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }

    fs::path folder_;
};

TEST_F(ProfileFile, is_read_as_it_was_written) {
    const device::Profile profile = device::load_profile(file());
    EXPECT_EQ(profile.name, "h200-pcie5");
    EXPECT_EQ(refusal_with("copy_engines", 1), "");
    EXPECT_EQ(refusal_with("host_launch_ns", 1'000'000'000), "");
}

TEST_F(ProfileFile, refuses_what_no_device_can_have) {
    for (const char* const time : {"h2d_copy_overhead_ns", "host_launch_ns", "host_device_allocation_ns"}) {
        EXPECT_NE(refusal_with(time, -1).find(time), std::string::npos) << time;
        EXPECT_NE(refusal_with(time, 9223372036854775807).find(time), std::string::npos) << time;
        EXPECT_NE(refusal_with(time, 1.5).find(time), std::string::npos) << time;
    }
    for (const char* const rate : {"h2d_pinned_bytes_per_second", "work_rounds_per_second"}) {
        EXPECT_NE(refusal_with(rate, 0).find(rate), std::string::npos) << rate;
        EXPECT_NE(refusal_with(rate, 1e-300).find(rate), std::string::npos) << rate;
        EXPECT_NE(refusal_with(rate, 1e300).find(rate), std::string::npos) << rate;
    }
    EXPECT_NE(refusal_with("multiprocessors", 4294967297).find("multiprocessors"), std::string::npos);
    EXPECT_NE(refusal_with("memory_bytes", 0).find("memory_bytes"), std::string::npos);
    EXPECT_NE(refusal_with("copy_engines", 3).find("copy_engines"), std::string::npos);
    EXPECT_NE(refusal_with("name", 7).find("name"), std::string::npos);
}

}  // namespace
