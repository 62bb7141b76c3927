__global__ void k() {
static __shared2>> x[N][M + 1ame T::U u; volatile __shared__ ; volatile __shared__ int file[3];
