a << b; c <<= 1; x <=> y; std::cout << "<<<" << '>' << k << 1;
operator<<<int>(a); p->*q; A<&B::operator<< > z;
