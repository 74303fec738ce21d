/* Constants and structures of ELF that the library reads. <elf.h> does not exist on all systems. */
#ifndef PPROFC_SYMBOLIZE_ELF_FORMAT_H
#define PPROFC_SYMBOLIZE_ELF_FORMAT_H

#include "core/base.h"

#define ELFMAG "\177ELF"

enum { EI_CLASS = 4, EI_DATA = 5, ELFCLASS64 = 2, ELFDATA2LSB = 1, ELFDATA2MSB = 2 };
enum { ET_REL = 1, ET_EXEC = 2, ET_DYN = 3, EM_X86_64 = 62 };
enum { PT_LOAD = 1, PT_NOTE = 4, PF_X = 1, NT_GNU_BUILD_ID = 3 };
enum { SHT_SYMTAB = 2, SHT_RELA = 4, SHT_NOTE = 7, SHT_NOBITS = 8, SHT_DYNSYM = 11 };
enum { SHF_ALLOC = 2, SHF_EXECINSTR = 4, SHF_TLS = 0x400, SHN_UNDEF = 0, SHN_LORESERVE = 0xff00 };
enum { STT_NOTYPE = 0, STT_OBJECT = 1, STT_FUNC = 2, STT_GNU_IFUNC = 10 };

#define ELF64_ST_TYPE(info) ((info)&15)
#define ELF64_R_SYM(info)   ((info) >> 32)

typedef struct {
  uint32_t st_name;
  unsigned char st_info, st_other;
  uint16_t st_shndx;
  uint64_t st_value, st_size;
} Elf64_Sym;

typedef struct {
  uint64_t r_offset, r_info;
  int64_t r_addend;
} Elf64_Rela;

#endif
