#if 0
k<<<1>>>(; '
#if 1
#else
#endif
#elif 1
k<<<1, 2>>>(0);
#endif
#error don't
