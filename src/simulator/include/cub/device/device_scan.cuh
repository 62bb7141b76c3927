#error "CUB is not simulated: build for a GPU (--device gpu), or write it with shared memory and warp shuffles"
