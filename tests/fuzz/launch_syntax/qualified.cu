::a::k<int, 4><<<1, 2, 0, s>>>(NULL, 0);
x->template k<3><<<g, b>>>();
table[i](1)[2]<<<1, 2>>>(0);
