// The environment variables by which a program built for either device is steered from outside.
#pragma once

namespace device::environment {

inline constexpr const char* trace_file = "COURSE_TRACE_FILE";    // write the trace (JSON) here at exit
inline constexpr const char* profile_file = "COURSE_PROFILE";     // the simulated device's profile (JSON file)
inline constexpr const char* fail_call = "COURSE_FAIL_CALL";      // the n-th call that can fail fails
inline constexpr const char* quiet = "COURSE_QUIET";              // 1: findings go to the trace alone, not to stderr
inline constexpr const char* control_fd = "COURSE_CONTROL_FD";    // lab programs: socket to the check program
inline constexpr const char* memory_fd = "COURSE_MEMORY_FD";      // lab programs: memory shared with the check program
inline constexpr const char* root = "COURSE_ROOT";                // the repository's root, where it is not the built-in one
inline constexpr const char* language = "COURSE_LANG";            // "en" or "zh-CN"; otherwise from LC_ALL, LC_MESSAGES, LANG

}  // namespace device::environment
