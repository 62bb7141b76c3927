namespace a { __device__ volatile A<int, 3> x[2][2], *y = nullptr; }
__constant__ __device__ const float c[] = {1, 2, f(3)}, d{4};
__device__ int f(int x) { return x; }
template <class T> __device__ T t;
extern __device__ int e;
