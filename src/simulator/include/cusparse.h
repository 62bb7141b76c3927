#error "cuSPARSE is not simulated: build for a GPU (--device gpu), or write it as a kernel"
