auto f = [] __device__(int x) { return x; };
auto g = [=] { k<<<1, 2>>>([=] __device__ (int i) { return i << 2 >> 1; }, 0); };
