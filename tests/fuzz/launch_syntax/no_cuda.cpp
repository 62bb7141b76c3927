#include "a.h"
#  include <b.h>
int main() { return R"(")"[0] ? 1 : 0; }
