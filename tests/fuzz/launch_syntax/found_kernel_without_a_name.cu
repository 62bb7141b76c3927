(1)[2] __global__ { }
