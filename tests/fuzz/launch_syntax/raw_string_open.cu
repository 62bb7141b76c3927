auto s = R"abc(k<<<1, 2>>>(a)
)ab";
