// What programs of this kind bring along: error checks, options, a device, a verdict.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) check(cudaGetLastError(), message, __FILE__, __LINE__)

template <typename T>
void check(T result, char const* const what, const char* const file, int const line) {
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, static_cast<unsigned int>(result),
                cudaGetErrorName(result), what);
        exit(EXIT_FAILURE);
    }
}

// The value behind -name= or --name=; `otherwise` when there is none.
inline const char* option(int argc, char** argv, const char* name, const char* otherwise) {
    for (int i = 1; i < argc; ++i) {
        const char* text = argv[i];
        while (*text == '-') {
            ++text;
        }
        const size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            return text + length + 1;
        }
    }
    return otherwise;
}

inline int number_option(int argc, char** argv, const char* name, int otherwise) {
    const char* const text = option(argc, argv, name, nullptr);
    return text != nullptr ? atoi(text) : otherwise;
}

// Chooses the device that --device= names, and says what it is.
inline int findCudaDevice(int argc, char** argv) {
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    const int device = number_option(argc, argv, "device", 0);
    if (count == 0 || device >= count) {
        fprintf(stderr, "no such device\n");
        exit(EXIT_FAILURE);
    }
    checkCudaErrors(cudaSetDevice(device));
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    printf("device %d: %s, compute capability %d.%d, %d copy engines\n", device, properties.name, properties.major,
           properties.minor, properties.asyncEngineCount);
    return device;
}

inline int verdict(bool passed) {
    printf("%s\n", passed ? "PASS" : "FAIL");
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
