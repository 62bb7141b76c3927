#error "Thrust is not simulated: build for a GPU (--device gpu), or write the loop as a kernel"
