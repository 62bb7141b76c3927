// The frame of a program of many cases: it runs the one that argv[1] names, and exits 0 if everything expected held,
// 1 if something did not, 2 if there is no such case.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#define EXPECT(condition) cases::expect((condition), #condition, __FILE__, __LINE__)
#define EXPECT_ERROR(expected, call) cases::expect_error(expected, (call), #call, __FILE__, __LINE__)
#define CALL(call) EXPECT_ERROR(cudaSuccess, call)

namespace cases {

struct Case {
    const char* name;
    void (*run)();
};

inline int failures = 0;

inline void expect(bool held, const char* what, const char* file, int line) {
    if (!held) {
        std::printf("%s:%d: expected %s\n", file, line, what);
        ++failures;
    }
}

inline void expect_error(cudaError_t expected, cudaError_t found, const char* call, const char* file, int line) {
    if (found != expected) {
        std::printf("%s:%d: expected %s, found %s from %s\n", file, line, cudaGetErrorName(expected),
                    cudaGetErrorName(found), call);
        ++failures;
    }
}

template <std::size_t count>
int run_one(const Case (&all)[count], int argc, char** argv) {
    for (const Case& one : all) {
        if (argc > 1 && std::strcmp(argv[1], one.name) == 0) {
            one.run();
            return failures == 0 ? 0 : 1;
        }
    }
    std::printf("expected the name of a case, found %s\n", argc > 1 ? argv[1] : "nothing");
    return 2;
}

}  // namespace cases
