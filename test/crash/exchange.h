/* Names are exchanged by a bare system call: whoever preloads this hears of it before, and may let it fail; and of
   its end, where AFTER_EXCHANGE names who wants to. */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

/* Not 0 if it fails, with errno set. */
static int before_exchange(const char *to);
#ifdef AFTER_EXCHANGE
static void AFTER_EXCHANGE(void);
#endif

long syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (int each = 0; each < 6; each++) words[each] = va_arg(list, long);
  va_end(list);
  if (number == SYS_renameat2 && before_exchange((const char *)words[3]) != 0) return -1;
  long result = REAL(syscall)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
#ifdef AFTER_EXCHANGE
  if (number == SYS_renameat2) AFTER_EXCHANGE();
#endif
  return result;
}
