// Reads of memory of which a part was never written, and is not used either; structures that functions return; memory that
// an atomic sets. Nothing of this is wrong.
#include <cstdio>
#include <cstring>

constexpr int count = 40;

struct Bits {
    unsigned short low : 3, middle : 8;
    unsigned short high : 5;
    long long wide : 40;
};
struct Variant {
    int kind;
    union {
        double numbers[4];
        int number;
    };
};
struct Record {
    int id;
    char name[60];
    double weight;
};
struct alignas(128) Slot {
    int head;
    char tag;
};
struct Matrix {
    double value[4][4];
    int size;
};

extern __shared__ float shared_floats[];

__device__ Matrix diagonal(double value) {
    Matrix made;
    made.size = 2;
    for (int i = 0; i < made.size; ++i) {
        for (int j = 0; j < made.size; ++j) {
            made.value[i][j] = i == j ? value : 0;
        }
    }
    return made;
}

__device__ Matrix product(Matrix a, Matrix b) {
    Matrix made = diagonal(0);
    for (int i = 0; i < a.size; ++i) {
        for (int j = 0; j < a.size; ++j) {
            for (int k = 0; k < a.size; ++k) {
                made.value[i][j] += a.value[i][k] * b.value[k][j];
            }
        }
    }
    return made;
}

__device__ float4 next(float4 value) {
    value.x += value.y;
    if (value.w > 1e9f) {
        std::printf("too large\n");
    }
    return value;
}

__global__ void make(Bits* bits, Variant* variants, Record* records, Slot* slots, Matrix* matrices, float4* vectors) {
    const int i = threadIdx.x;
    bits[i].middle = i;
    bits[i].high = 1;
    bits[i].wide = -i;
    variants[i].kind = 1;
    variants[i].number = i;
    records[i].id = i;
    std::strcpy(records[i].name, "x");
    records[i].weight = i;
    slots[i].head = i;
    slots[i].tag = 1;
    matrices[i] = diagonal(i);
    vectors[i].x = i;
    vectors[i].y = 1;
    vectors[i].w = 0;
}

__global__ void copy(const Variant* variants, Variant* variants_copied, const Record* records, Record* records_copied) {
    const int i = threadIdx.x;
    variants_copied[count - 1 - i] = variants[i];
    std::memcpy(&records_copied[count - 1 - i], &records[i], sizeof(Record));
}

__global__ void update(Slot* slots, Matrix* matrices, float4* vectors) {
    const int i = threadIdx.x;
    Slot slot = slots[i];
    slot.head += 1;
    slots[i] = slot;
    matrices[i] = product(matrices[i], matrices[i]);
    vectors[i] = next(vectors[i]);
}

__global__ void set_by_atomics(int* numbers, float* values) {
    const int i = threadIdx.x;
    atomicExch(&numbers[i], i);
    atomicExch(&values[i], 0.5f);
    __syncthreads();
    numbers[i] += 1;
    atomicAdd(&values[i], 0.5f);
}

__global__ void add_up(const Bits* bits, const Variant* variants, const Record* records, const Slot* slots,
                       const Matrix* matrices, const float4* vectors, const int* numbers, const float* values,
                       double* sums) {
    double* const shared = (double*)shared_floats;
    const int i = threadIdx.x;
    const Variant variant = variants[i];
    shared[i] = bits[i].middle + bits[i].high + bits[i].wide + variant.number + records[i].weight + slots[i].head +
                matrices[i].value[1][1] + vectors[i].x + numbers[i] + values[i];
    __syncthreads();
    sums[i] = shared[count - 1 - i];
}

template <class T>
T* allocate() {
    T* memory = nullptr;
    cudaMalloc(&memory, count * sizeof(T));
    return memory;
}

int main() {
    Bits* const bits = allocate<Bits>();
    Variant* const variants = allocate<Variant>();
    Variant* const variants_copied = allocate<Variant>();
    Record* const records = allocate<Record>();
    Record* const records_copied = allocate<Record>();
    Slot* const slots = allocate<Slot>();
    Matrix* const matrices = allocate<Matrix>();
    float4* const vectors = allocate<float4>();
    int* const numbers = allocate<int>();
    float* const values = allocate<float>();
    double* const sums = allocate<double>();
    make<<<1, count>>>(bits, variants, records, slots, matrices, vectors);
    copy<<<1, count>>>(variants, variants_copied, records, records_copied);
    update<<<1, count>>>(slots, matrices, vectors);
    set_by_atomics<<<1, count>>>(numbers, values);
    add_up<<<1, count, count * sizeof(double)>>>(bits, variants_copied, records_copied, slots, matrices, vectors,
                                                 numbers, values, sums);
    double result[count];
    cudaMemcpy(result, sums, sizeof(result), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int at = 0; at < count; ++at) {
        const int i = count - 1 - at;
        wrong += result[at] != i + 1 - i + 2 * at + (i + 1) + i * i + (i + 1) + (i + 1) + 1;
    }
    std::printf("%d wrong\n", wrong);
    for (void* const memory : {(void*)bits, (void*)variants, (void*)variants_copied, (void*)records,
                               (void*)records_copied, (void*)slots, (void*)matrices, (void*)vectors, (void*)numbers,
                               (void*)values, (void*)sums}) {
        cudaFree(memory);
    }
}
