extern __shared__ __align__(16) unsigned char file[];
__global__ void k() { extern
__shared__ T
x
[][8]; extern volatile __shared__ float y[]; }
