// What kernels print, kept until they are complete.
#pragma once

#include <cstdio>
#include <string>

namespace simulator {

// While it lives, what this process prints to `stdout` is kept here.
class CapturedOutput {
public:
    CapturedOutput();
    ~CapturedOutput();
    CapturedOutput(const CapturedOutput&) = delete;
    CapturedOutput& operator=(const CapturedOutput&) = delete;

    // Ends the capture and returns what was printed.
    std::string take();

private:
    void end();

    std::FILE* before_;
};

}  // namespace simulator
