// SPDX-License-Identifier: MIT
//
// Compiled as C++17: the first thing that the compiler says has to be why that cannot work.
#include <rankmap/rankmap.hpp>

int main() {}
