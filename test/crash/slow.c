/* Preloaded into a process: each open of a file below SLOW_FOLDER takes up to SLOW_MS longer, as on a busy disk. */
#define _GNU_SOURCE
#include "exchange.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void wait_for(const char *path) {
  const char *folder = getenv("SLOW_FOLDER");
  if (folder == NULL || path == NULL || strncmp(path, folder, strlen(folder)) != 0) return;
  int most = atoi(getenv("SLOW_MS") ? getenv("SLOW_MS") : "0");
  /* One in four: enough to part any two steps now and then, without making the test slow. */
  if (most > 0 && rand() % 4 == 0) usleep((useconds_t)(rand() % most) * 1000);
}

#define MODE(flags, last)                                   \
  mode_t mode = 0;                                          \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list list;                                           \
    va_start(list, last);                                   \
    mode = (mode_t)va_arg(list, int);                       \
    va_end(list);                                           \
  }

int open(const char *path, int flags, ...) {
  MODE(flags, flags)
  wait_for(path);
  return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags, flags)
  wait_for(path);
  return REAL(open64)(path, flags, mode);
}

int rename(const char *from, const char *to) {
  wait_for(to);
  return REAL(rename)(from, to);
}

__attribute__((constructor)) static void seed(void) { srand((unsigned)getpid()); }

static int before_exchange(const char *to) {
  wait_for(to);
  return 0;
}
