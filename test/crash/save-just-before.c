/* Preloaded into a process: a file that lies beside MEMORY.md as MEMORY.md.saved is renamed over it at the last moment, right
   before MEMORY.md is replaced: after every look that the process took at it. */
#define _GNU_SOURCE
#define AFTER_EXCHANGE after_exchange
#include "exchange.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_saved = 0;

static void save_before(const char *to) {
  const char *end = "/MEMORY.md";
  if (strlen(to) < strlen(end) || strcmp(to + strlen(to) - strlen(end), end) != 0) return;
  char saved[4096];
  snprintf(saved, sizeof saved, "%s.saved", to);
  if (REAL(rename)(saved, to) == 0) is_saved = 1;
}

int rename(const char *from, const char *to) {
  save_before(to);
  return REAL(rename)(from, to);
}

static int before_exchange(const char *to) {
  save_before(to);
  return 0;
}

/* With KILLED_AFTERWARDS nothing comes after it. */
static void after_exchange(void) {
  if (is_saved && getenv("KILLED_AFTERWARDS") != NULL) kill(getpid(), SIGKILL);
}

/* With FULL_AFTERWARDS nothing that is held on to fits on the disk from then on. */
static int is_full(const char *path, int flags) {
  if (!is_saved || getenv("FULL_AFTERWARDS") == NULL || (flags & O_CREAT) == 0 || strstr(path, ".was.draft") == NULL)
    return 0;
  errno = ENOSPC;
  return 1;
}

#define OPENING(name)                                                     \
  int name(const char *path, int flags, ...) {                            \
    va_list list;                                                         \
    va_start(list, flags);                                                \
    mode_t mode = (mode_t)va_arg(list, int);                              \
    va_end(list);                                                         \
    return is_full(path, flags) ? -1 : REAL(name)(path, flags, mode);     \
  }

OPENING(open)
OPENING(open64)

/* With SAVED_WHILE_ERASED someone appends a line to a file that they still have open, while something in it is erased. */
int fsync(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  if (getenv("SAVED_WHILE_ERASED") != NULL && strstr(path, ".late.draft") != NULL) {
    unsetenv("SAVED_WHILE_ERASED");
    FILE *theirs = fopen(path, "a");
    if (theirs != NULL) {
      fputs("- saved while erased\n", theirs);
      fclose(theirs);
    }
  }
  return REAL(fsync)(file);
}
