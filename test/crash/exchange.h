/* Names are exchanged by a bare system call: whoever preloads this hears of it before, and may let it fail. */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

/* Not 0 if it fails, with errno set. */
static int before_exchange(const char *to);

long syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (int each = 0; each < 6; each++) words[each] = va_arg(list, long);
  va_end(list);
  if (number == SYS_renameat2 && before_exchange((const char *)words[3]) != 0) return -1;
  return REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
