#error "CUPTI is not simulated: build for a GPU (--device gpu), or do without"
