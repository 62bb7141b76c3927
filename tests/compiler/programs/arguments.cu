// How arguments reach a kernel: converted as at a call, evaluated once, copied for every thread.
#include <cuda_runtime.h>

#include <cstring>
#include <tuple>
#include <vector>

struct Pair {
    int first, second;
};

static int calls = 0;
static int counted(int value) {
    ++calls;
    return value;
}

__global__ void store(int* out, int value) {
    *out += value;
}
__global__ void nothing() {
    ++calls;
}
__global__ void with_default(int* out, int value = 7) {
    *out += value;
}
__global__ void overloaded(int* out, int value) {
    *out = value;
}
__global__ void overloaded(float* out, float value) {
    *out = value * 10;
}
__global__ void optional_pointer(int* out, const int* in) {
    *out = in == nullptr ? -1 : *in;
}
__global__ void text(char* out, const char* in) {
    *out = in[1];
}
__global__ void modify(int* out, int value, Pair pair) {
    out[threadIdx.x] = ++value + ++pair.first;
}
__global__ void structure(int* out, Pair pair) {
    *out = pair.first * 10 + pair.second;
}
__global__ void narrow(unsigned char* out, unsigned char value, bool flag) {
    *out = flag ? value : 0;
}
__global__ void __launch_bounds__(128) bounded(float* __restrict__ out, float value) {
    *out = value;
}
template <class T, int Factor>
__global__ void scale(T* out, T value) {
    *out = value * Factor;
}
template <class T>
__global__ void deduced(T* out, T value, const int* extra) {
    *out = extra == nullptr ? value + 1 : value + *extra;
}
template <int Factor, class T>
__global__ void partly_deduced(T* out, T value) {
    *out = value * Factor;
}
template <class F>
__global__ void apply(int* out, F function) {
    out[threadIdx.x] = function(static_cast<int>(threadIdx.x));
}
extern "C" __global__ void c_linkage(int* out) {
    *out = 3;
}
namespace deep::inside {
template <class T>
__global__ void qualified(T* out) {
    *out = 9;
}
}  // namespace deep::inside

struct Vector {
    std::vector<int> values = {1, 2, 3, 4};
    int offset = 2;

    void run() {
        store<<<1, 1>>>(values.data() + offset, offset);
        offset = 0;
        run_launches();
        EXPECT(values[2], 5);
        EXPECT(values[0], 1);
    }
};

template <class T>
void launch_in_template(T* out, T value) {
    scale<T, 2><<<1, 1>>>(out, value);
    deduced<<<1, 1>>>(out + 1, value, nullptr);
    run_launches();
}

template <class... Values>
void launch_pack(Values... values) {
    store<<<1, 1>>>(values...);
    overloaded<<<1, 1>>>(values...);
    run_launches();
}

static void conversions() {
    int out[4] = {};
    float real = 0;
    double precise = 0;
    unsigned char byte = 0;
    char letter = 0;
    store<<<1, 1>>>(out, precise + 2.9);
    bounded<<<1, 1>>>(&real, 5);
    narrow<<<1, 1>>>(&byte, 300 - 45, 1);
    text<<<1, 1>>>(&letter, "abc");
    structure<<<1, 1>>>(out + 1, {4, 2});
    structure<<<1, 1>>>(out + 2, Pair{std::get<0>(std::tuple<int, int>{1, 2}), (void(), 5)});
    scale<double, 4><<<1, 1>>>(&precise, 1.5f);
    run_launches();
    EXPECT(out[0], 2);
    EXPECT(real, 5.0f);
    EXPECT(byte, 255);
    EXPECT(letter, 'b');
    EXPECT(out[1], 42);
    EXPECT(out[2], 15);
    EXPECT(precise, 6.0);
}

static void null_pointers() {
    int out[6] = {};
    optional_pointer<<<1, 1>>>(out, 0);
    optional_pointer<<<1, 1>>>(out + 1, NULL);
    optional_pointer<<<1, 1>>>(out + 2, nullptr);
    deduced<<<1, 1>>>(out + 3, 4, 0);
    deduced<<<1, 1>>>(out + 4, 4, NULL);
    deduced<<<1, 1>>>(out + 5, 0, nullptr);
    run_launches();
    EXPECT(out[0], -1);
    EXPECT(out[1], -1);
    EXPECT(out[2], -1);
    EXPECT(out[3], 5);
    EXPECT(out[4], 5);
    EXPECT(out[5], 1);
    int zero = 1;
    float real = 1;
    overloaded<<<1, 1>>>(&zero, 0);
    bounded<<<1, 1>>>(&real, 0);
    run_launches();
    EXPECT(zero, 0);
    EXPECT(real, 0.0f);
}

static void names() {
    int out[8] = {};
    float real = 0;
    calls = 0;
    nothing<<<1, 1>>>();
    with_default<<<1, 1>>>(out);
    with_default<<<1, 1>>>(out + 1, 8);
    overloaded<<<1, 1>>>(out + 2, 3);
    overloaded<<<1, 1>>>(&real, 3);
    partly_deduced<3><<<1, 1>>>(out + 3, 5);
    c_linkage<<<1, 1>>>(out + 4);
    ::deep::inside::qualified<<<1, 1>>>(out + 5);
    deep::inside::qualified<int><<<1, 1>>>(out + 6);
    void (*const chosen)(int*, int) = real > 0 ? store : static_cast<void (*)(int*, int)>(overloaded);
    chosen<<<1, 1>>>(out + 7, 6);
    (out[0] == 0 ? store : with_default)<<<1, 1>>>(out + 7, 1);
    run_launches();
    EXPECT(calls, 1);
    EXPECT(out[0], 7);
    EXPECT(out[1], 8);
    EXPECT(out[2], 3);
    EXPECT(real, 30.0f);
    EXPECT(out[3], 15);
    EXPECT(out[4], 3);
    EXPECT(out[5], 9);
    EXPECT(out[6], 9);
    EXPECT(out[7], 7);
}

static void evaluation() {
    int out[4] = {};
    calls = 0;
    int value = 5;
    store<<<2, 3>>>(out, counted(value));
    value = 100;
    EXPECT(calls, 1);
    run_launches();
    EXPECT(calls, 1);
    EXPECT(out[0], 30);

    modify<<<1, 4>>>(out, 1, Pair{2, 0});
    run_launches();
    for (const int each : out) {
        EXPECT(each, 5);
    }
    deduced<<<1, 1>>>(out, counted(1), nullptr);
    run_launches();
    EXPECT(calls, 2);
    Vector().run();
}

static void functions() {
    int out[4] = {};
    const int base = 10;
    apply<<<1, 4>>>(out, [=] __device__(int i) mutable { return base + i; });
    run_launches();
    EXPECT(out[3], 13);
    const auto launch = [&](int value) { store<<<1, 1>>>(out, value); };
    launch(2);
    launch(3);
    run_launches();
    EXPECT(out[0], 15);
    double real[2] = {};
    launch_in_template(real, 2.5);
    EXPECT(real[0], 5.0);
    EXPECT(real[1], 3.5);
    launch_pack(out + 1, 4);
    EXPECT(out[1], 4);
}

int main() {
    conversions();
    null_pointers();
    names();
    evaluation();
    functions();
    return failures == 0 ? 0 : 1;
}
