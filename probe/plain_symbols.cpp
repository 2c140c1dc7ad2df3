// SPDX-License-Identifier: Apache-2.0
// Makes the unique symbols of an object file (STB_GNU_UNIQUE, of which a process has one, whatever libraries
// share it) plain global ones, which objcopy can hide: it passes unique ones by.
#include <elf.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::fstream file{arguments[1], std::ios::binary | std::ios::in | std::ios::out};
  std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  Elf64_Ehdr head;
  if (bytes.size() < sizeof head || bytes.compare(0, SELFMAG, ELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64) {
    std::fprintf(stderr, "%s: is no object file of 64 bits\n", arguments[1]);
    return 1;
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  for (unsigned section = 0; section < head.e_shnum; ++section) {
    Elf64_Shdr table;
    std::memcpy(&table, bytes.data() + head.e_shoff + section * sizeof table, sizeof table);
    if (table.sh_type != SHT_SYMTAB) continue;
    for (auto at = table.sh_offset; at < table.sh_offset + table.sh_size; at += sizeof(Elf64_Sym)) {
      auto& info = bytes[at + offsetof(Elf64_Sym, st_info)];
      auto const bits = static_cast<unsigned char>(info);
      if (ELF64_ST_BIND(bits) == STB_GNU_UNIQUE)
        info = static_cast<char>(ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(bits)));
    }
  }
  file.seekp(0);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file ? 0 : 1;
}
