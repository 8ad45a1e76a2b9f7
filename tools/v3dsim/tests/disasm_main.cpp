// SPDX-License-Identifier: BSD-2-Clause
//
// Disassembles instruction words, one hexadecimal number a line.
#include "disasm.h"

#include <iostream>
#include <string>

int main() {
    for (std::string line; std::getline(std::cin, line);)
        std::cout << v3dsim::disassemble(std::stoull(line, nullptr, 16)) << '\n';
    return 0;
}
