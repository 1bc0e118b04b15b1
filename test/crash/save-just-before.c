/* Preloaded into a process: a file that lies beside MEMORY.md as MEMORY.md.saved is renamed over it at the last moment, right
   before MEMORY.md is replaced: after every look that the process took at it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static void save_before(const char *to) {
  const char *end = "/MEMORY.md";
  if (strlen(to) < strlen(end) || strcmp(to + strlen(to) - strlen(end), end) != 0) return;
  char saved[4096];
  snprintf(saved, sizeof saved, "%s.saved", to);
  (void)REAL(rename)(saved, to);
}

int rename(const char *from, const char *to) {
  save_before(to);
  return REAL(rename)(from, to);
}

/* Names are exchanged by a bare system call. */
long syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (int each = 0; each < 6; each++) words[each] = va_arg(list, long);
  va_end(list);
  if (number == SYS_renameat2) save_before((const char *)words[3]);
  return REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
