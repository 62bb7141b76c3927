#define CHECK(x) do { \
 x; } while (0)
#define BUFFER __shared__ float b[4]
CHECK((k<<<1, 2>>>(a), 0));
