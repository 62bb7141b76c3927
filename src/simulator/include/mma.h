#error "The tensor core interface <mma.h> is not simulated: build for a GPU (--device gpu), or write it with shared memory"
