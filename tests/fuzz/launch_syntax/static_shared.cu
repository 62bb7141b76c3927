__global__ void k() {
static __shared__ __align__(8) A<B<int, 2>> x[N][M + 1], *y, z;
  { __shared__ typename T::U u; volatile __shared__ int v; }
}
__shared__ int file[3];
