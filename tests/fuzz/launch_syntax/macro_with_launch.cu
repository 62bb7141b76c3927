#define RUN(a) \
  k<<<1, 2>>>(a)
#define X extern __shared__ int x[]
