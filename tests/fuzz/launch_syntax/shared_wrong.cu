void k() { __shared__ int x = 0; extern __shared__ float x[4]; __shared__ }
__shared__