#error "__pipeline_memcpy_async is not simulated: build for a GPU (--device gpu), or write it with shared memory"
