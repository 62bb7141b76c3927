#include "gpu/cupti.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace gpu {
namespace {

// The plain name serves LD_LIBRARY_PATH; the full one, the toolkit that the program was built with.
constexpr const char* library_names[] = {"libcupti.so", CUPTI_LIBRARY, "libcupti.so.13", "libcupti.so.12"};

template <class Function>
void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) {
        throw std::runtime_error(std::string("CUPTI: expected the function ") + name + ", found a library without it");
    }
}

void* open_library() {
    for (const char* const name : library_names) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
    }
    throw std::runtime_error(
        "no GPU trace: expected the library libcupti.so (part of the CUDA Toolkit), found none; install cuda-cupti, or "
        "add its folder to LD_LIBRARY_PATH");
}

}  // namespace

Cupti load_cupti() {
    void* const library = open_library();
    Cupti cupti;
    find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks);
    find(library, "cuptiActivityEnable", cupti.enable);
    find(library, "cuptiActivityFlushAll", cupti.flush_all);
    find(library, "cuptiActivityGetNextRecord", cupti.next_record);
    find(library, "cuptiGetTimestamp", cupti.timestamp);
    find(library, "cuptiGetCallbackName", cupti.callback_name);
    find(library, "cuptiGetResultString", cupti.result_string);
    return cupti;
}

}  // namespace gpu
