#error "The barrier of <cuda_awbarrier.h> is not simulated: build for a GPU (--device gpu), or write it with shared memory"
