// What is wrong: memory is freed while it is registered.
#include <cstdlib>

int main() {
    constexpr std::size_t bytes = 1 << 20;
    // [mistake]
    void* const buffer = std::malloc(bytes);
    cudaHostRegister(buffer, bytes, cudaHostRegisterDefault);
    std::free(buffer);
    // [/mistake]
}
