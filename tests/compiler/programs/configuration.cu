// Launch configurations, names, and declarations of dynamic shared memory.
#include <cuda_runtime.h>

#include <cstdint>

#define THREADS 32
#define RUN(statement) statement

extern __shared__ unsigned char file_buffer[];

struct Tile {
    template <class T>
    static unsigned size() { return sizeof(T); }
    template <int A, int B, int C, int D>
    static unsigned sum() { return A + B + C + D; }
};

template <class T>
struct Box {
    T value;
};

__global__ void empty() {}
template <class T>
__global__ void generic(T*) {}

__global__ void shared(int* out) {
    extern __shared__ __align__(16) float
        buffer[];
    buffer[1] = 2.0f;
    reinterpret_cast<float*>(dynamic_shared_memory_of_the_block)[2] = 3.0f;
    *out = static_cast<int>(buffer[1] + buffer[2]) + __LINE__;
}
template <class T>
__global__ void shared_rows(T* out) {
    __shared__ T fixed[4];
    extern volatile __shared__ T rows[][4];
    fixed[2] = 5;
    rows[1][2] = fixed[2];
    *out = reinterpret_cast<T*>(dynamic_shared_memory_of_the_block)[6];
}
__global__ void shared_of_the_file(int* out) {
    file_buffer[3] = 8;
    *out = dynamic_shared_memory_of_the_block[3] + *(file_buffer + 3) + static_cast<int>(sizeof(file_buffer[0]));
}

static void expect_launch(const char* name, unsigned grid, unsigned block, std::size_t size, cudaStream_t at, int line) {
    const auto& launch = simulator::launches.back();
    expect_equal(launch.name, name, line);
    expect_equal(launch.grid.x, grid, line);
    expect_equal(launch.block.x, block, line);
    expect_equal(launch.shared_bytes, size, line);
    expect_equal(launch.stream, at, line);
    expect_equal(launch.call_address != 0, true, line);
    expect_equal(simulator::launches.size(), 1u, line);
    run_launches();
}
#define EXPECT_LAUNCH(...) expect_launch(__VA_ARGS__, __LINE__)

int main() {
    const auto stream = reinterpret_cast<cudaStream_t>(std::uintptr_t{64});
    const std::size_t n = 1000;
    int out = 0;
    Box<Box<int>> box{};
    empty<<<4, 64>>>();
    EXPECT_LAUNCH("empty", 4, 64, 0, nullptr);
    empty<<<dim3(2, 2), {8, 8}, 16>>>();
    EXPECT_LAUNCH("empty", 2, 8, 16, nullptr);
    empty<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>();
    EXPECT_LAUNCH("empty", 32, 32, 0, stream);
    empty  // the name
        <<<n >> 3, /* the block: >>> */ Tile::size<Box<Box<int>>>(), sizeof(int) << 2,
           stream>>>  // then the arguments
        ();
    EXPECT_LAUNCH("empty", 125, 4, 16, stream);
    empty<<<Tile::sum<1, 2, 3, 4>(), n < 5 ? 1 : 2, 0, 0>>>();
    EXPECT_LAUNCH("empty", 10, 2, 0, nullptr);
    generic<Box<Box<int>>><<<1, 1>>>(&box);
    EXPECT_LAUNCH("generic", 1, 1, 0, nullptr);
    ::generic<Box<Box<int>>> <<<1, 1>>> (&box);
    EXPECT_LAUNCH("generic", 1, 1, 0, nullptr);
    RUN(empty<<<2, 3>>>());
    EXPECT_LAUNCH("empty", 2, 3, 0, nullptr);
    if (n > 1) empty<<<1, 2>>>(); else empty<<<3, 4>>>();
    EXPECT_LAUNCH("empty", 1, 2, 0, nullptr);
    for (int i = 0; i < 2; ++i) empty<<<1, i + 1>>>(), run_launches();
#if 0
    this is not read: empty<<<1>>>
#endif

    shared<<<1, 1, 64>>>(&out);
    run_launches();
    EXPECT(out, 5 + 32);
    float real = 0;
    shared_rows<<<1, 1, 64>>>(&real);
    run_launches();
    EXPECT(real, 5.0f);
    shared_of_the_file<<<1, 1, 64>>>(&out);
    run_launches();
    EXPECT(out, 17);
    EXPECT(__LINE__, 101);
    return failures == 0 ? 0 : 1;
}
