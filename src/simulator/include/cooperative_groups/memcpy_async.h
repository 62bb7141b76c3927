#error "memcpy_async of cooperative groups is not simulated: build for a GPU (--device gpu), or write it with shared memory"
