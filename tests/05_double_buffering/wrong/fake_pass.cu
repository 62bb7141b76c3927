// What is wrong: Does nothing, prints what a passed check prints, and exits with 0.
// Refused by: typical_size
// Cause: exited_early
// Devices: sim gpu
#include <cstdio>

int main() {
    std::printf("Passed: 100 of 100 points.\n");
    return 0;
}
