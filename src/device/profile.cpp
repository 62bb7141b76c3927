#include "device/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

namespace device {
namespace {

using Json = nlohmann::ordered_json;

// Visits every figure of a profile by its name in the file, so that reading and writing cannot differ.
template <class ProfileType, class Visitor>
void visit_members(ProfileType& profile, Visitor&& visit) {
    visit("name", profile.name);
    visit("device", profile.device);
    visit("source", profile.source);
    visit("measured", profile.measured);
    visit("copy_engines", profile.copy_engines);
    visit("multiprocessors", profile.multiprocessors);
    visit("threads_per_multiprocessor", profile.threads_per_multiprocessor);
    visit("compute_capability_major", profile.compute_capability_major);
    visit("compute_capability_minor", profile.compute_capability_minor);
    visit("memory_bytes", profile.memory_bytes);
    visit("memory_bytes_per_second", profile.memory_bytes_per_second);
    visit("l2_cache_bytes", profile.l2_cache_bytes);
    visit("l2_bytes_per_second", profile.l2_bytes_per_second);
    visit("h2d_pinned_bytes_per_second", profile.host_to_device.pinned_bytes_per_second);
    visit("h2d_pageable_bytes_per_second", profile.host_to_device.pageable_bytes_per_second);
    visit("h2d_pageable_large_bytes_per_second", profile.host_to_device.pageable_large_bytes_per_second);
    visit("h2d_copy_overhead_ns", profile.host_to_device.copy_overhead);
    visit("d2h_pinned_bytes_per_second", profile.device_to_host.pinned_bytes_per_second);
    visit("d2h_pageable_bytes_per_second", profile.device_to_host.pageable_bytes_per_second);
    visit("d2h_pageable_large_bytes_per_second", profile.device_to_host.pageable_large_bytes_per_second);
    visit("d2h_copy_overhead_ns", profile.device_to_host.copy_overhead);
    visit("both_directions_bytes_per_second", profile.both_directions_bytes_per_second);
    visit("both_directions_overhead_ns", profile.both_directions_overhead);
    visit("stream_switch_ns", profile.stream_switch);
    visit("dependency_latency_ns", profile.dependency_latency);
    visit("small_copy_dependency_latency_ns", profile.small_copy_dependency_latency);
    visit("kernel_dependency_latency_ns", profile.kernel_dependency_latency);
    visit("host_function_latency_ns", profile.host_function_latency);
    visit("submission_latency_ns", profile.submission_latency);
    visit("kernel_overhead_ns", profile.kernel_overhead);
    visit("graph_kernel_overhead_ns", profile.graph_kernel_overhead);
    visit("work_rounds_per_second", profile.work_rounds_per_second);
    visit("work_round_latency_ps", profile.work_round_latency);
    visit("basic_blocks_per_second", profile.basic_blocks_per_second);
    visit("host_launch_ns", profile.host.launch);
    visit("host_copy_async_ns", profile.host.copy_async);
    visit("host_device_copy_ns", profile.host.device_copy);
    visit("host_small_memset_ns", profile.host.small_memset);
    visit("host_launch_host_function_ns", profile.host.launch_host_function);
    visit("host_graph_launch_ns", profile.host.graph_launch);
    visit("host_event_record_ns", profile.host.event_record);
    visit("host_untimed_event_record_ns", profile.host.untimed_event_record);
    visit("host_stream_wait_event_ns", profile.host.stream_wait_event);
    visit("host_query_ns", profile.host.query);
    visit("host_wake_up_ns", profile.host.wake_up);
    visit("host_create_stream_ns", profile.host.create_stream);
    visit("host_create_event_ns", profile.host.create_event);
    visit("host_device_allocation_ns", profile.host.device_allocation);
    visit("host_device_free_ns", profile.host.device_free);
    visit("host_small_device_allocation_ns", profile.host.small_device_allocation);
    visit("host_ordered_allocation_ns", profile.host.ordered_allocation);
    visit("host_device_allocation_bytes_per_second", profile.host.device_allocation_bytes_per_second);
    visit("host_device_free_bytes_per_second", profile.host.device_free_bytes_per_second);
    visit("host_pinned_allocation_bytes_per_second", profile.host.pinned_allocation_bytes_per_second);
    visit("host_pinned_allocation_large_bytes_per_second", profile.host.pinned_allocation_large_bytes_per_second);
    visit("host_pinned_free_ns", profile.host.pinned_free);
    visit("host_pinned_free_bytes_per_second", profile.host.pinned_free_bytes_per_second);
    visit("host_registration_ns", profile.host.registration);
    visit("host_registration_bytes_per_second", profile.host.registration_bytes_per_second);
    visit("host_unregistration_ns", profile.host.unregistration);
    visit("host_unregistration_bytes_per_second", profile.host.unregistration_bytes_per_second);
    visit("host_copy_bytes_per_second", profile.host.host_copy_bytes_per_second);
    visit("host_cache_bytes", profile.host.cache_bytes);
    visit("host_other_call_ns", profile.host.other);
}

struct Reader {
    const Json& json;
    std::size_t members_read = 0;

    template <class T>
    void operator()(const char* name, T& member) {
        const auto found = json.find(name);
        if (found == json.end()) {
            throw std::runtime_error(fmt::format("expected the member \"{}\", found none", name));
        }
        ++members_read;
        read(name, *found, member);
    }

    static void read(const char* name, const Json& value, std::string& member) {
        expect(value.is_string(), name, "a string", value);
        member = value.get<std::string>();
    }
    static void read(const char* name, const Json& value, bool& member) {
        expect(value.is_boolean(), name, "true or false", value);
        member = value.get<bool>();
    }
    // Limits far beyond any device, so that sums of times stay within 64 bits of nanoseconds.
    static void read(const char* name, const Json& value, double& member) {
        expect(value.is_number() && value.get<double>() >= 1e3 && value.get<double>() <= 1e18, name,
               "a number from 1e3 to 1e18", value);
        member = value.get<double>();
    }
    template <class Period>
    static void read(const char* name, const Json& value, std::chrono::duration<std::int64_t, Period>& member) {
        member = std::chrono::duration<std::int64_t, Period>(whole_number(name, value, 1'000'000'000));
    }
    template <class T>
    requires std::is_integral_v<T>
    static void read(const char* name, const Json& value, T& member) {
        constexpr auto most = std::min<std::uint64_t>(std::numeric_limits<T>::max(), std::uint64_t{1} << 60);
        member = static_cast<T>(whole_number(name, value, static_cast<std::int64_t>(most)));
    }
    static std::int64_t whole_number(const char* name, const Json& value, std::int64_t most) {
        const std::int64_t found = value.is_number_integer() ? value.get<std::int64_t>() : -1;
        expect(found >= 0 && found <= most, name, fmt::format("a whole number from 0 to {}", most), value);
        return found;
    }
    static void expect(bool holds, const char* name, const std::string& expected, const Json& value) {
        if (!holds) {
            throw std::runtime_error(fmt::format("expected \"{}\" to be {}, found {}", name, expected, value.dump()));
        }
    }
};

template <class T>
inline constexpr bool is_duration = false;
template <class Period>
inline constexpr bool is_duration<std::chrono::duration<std::int64_t, Period>> = true;

struct Writer {
    Json& json;
    template <class T>
    void operator()(const char* name, const T& member) {
        if constexpr (is_duration<T>) {
            json[name] = member.count();
        } else {
            json[name] = member;
        }
    }
};

void check_values(const Profile& profile) {
    if (profile.copy_engines != 1 && profile.copy_engines != 2) {
        throw std::runtime_error(fmt::format("expected \"copy_engines\" to be 1 or 2, found {}", profile.copy_engines));
    }
    if (profile.multiprocessors == 0 || profile.threads_per_multiprocessor == 0) {
        throw std::runtime_error("expected multiprocessors and threads_per_multiprocessor above 0, found 0");
    }
    if (profile.memory_bytes == 0) {
        throw std::runtime_error("expected memory_bytes above 0, found 0");
    }
}

}  // namespace

Profile load_profile(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) {
        throw std::runtime_error(fmt::format("{}: expected a profile, found no readable file", file.string()));
    }
    try {
        const Json json = Json::parse(stream);
        Reader::expect(json.is_object(), "profile", "an object", json);
        Profile profile;
        Reader reader{json};
        visit_members(profile, reader);
        if (reader.members_read != json.size()) {
            throw std::runtime_error(fmt::format("expected {} members, found {}", reader.members_read, json.size()));
        }
        check_values(profile);
        return profile;
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{}: {}", file.string(), error.what()));
    }
}

void save_profile(const std::filesystem::path& file, const Profile& profile) {
    Json json = Json::object();
    visit_members(profile, Writer{json});
    std::ofstream stream(file);
    stream << json.dump(2) << '\n';
    if (!stream.flush()) {
        throw std::runtime_error(fmt::format("{}: expected to write a profile, found no writable file", file.string()));
    }
}

std::vector<std::string> profile_names(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".json") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace device
