#include "simulator/captured_output.hpp"

#include <stdio_ext.h>

#include <cstdlib>
#include <stdexcept>

namespace simulator {
namespace {

// One stream in memory for all kernels: most of them print nothing, which costs nothing then.
struct MemoryStream {
    char* text = nullptr;
    std::size_t bytes = 0;
    std::FILE* file = open_memstream(&text, &bytes);
};

MemoryStream& memory_stream() {
    static MemoryStream& stream = *new MemoryStream;
    if (stream.file == nullptr) {
        throw std::runtime_error("expected memory for what kernels print, found none");
    }
    return stream;
}

}  // namespace

CapturedOutput::CapturedOutput() : before_(stdout) {
    stdout = memory_stream().file;  // glibc's printf, puts and putchar look at this variable
}

CapturedOutput::~CapturedOutput() {
    if (before_ != nullptr) {
        take();
    }
}

std::string CapturedOutput::take() {
    end();
    MemoryStream& stream = memory_stream();
    if (__fpending(stream.file) == 0 && stream.bytes == 0) {
        return {};
    }
    std::fflush(stream.file);
    const std::string printed(stream.text, stream.bytes);
    std::rewind(stream.file);
    std::fflush(stream.file);
    stream.bytes = 0;
    return printed;
}

void CapturedOutput::end() {
    stdout = before_;
    before_ = nullptr;
}

}  // namespace simulator
