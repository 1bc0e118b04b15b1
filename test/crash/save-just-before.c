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

static int is_late_draft(int file, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
  return strstr(path, ".late.draft") != NULL;
}

/* With SAVED_WHILE_ERASED someone appends a line to a file that they still have open, while something in it is erased. */
int fsync(int file) {
  char path[4096];
  if (getenv("SAVED_WHILE_ERASED") != NULL && is_late_draft(file, path, sizeof path)) {
    unsetenv("SAVED_WHILE_ERASED");
    FILE *theirs = fopen(path, "a");
    if (theirs != NULL) {
      fputs("- saved while erased\n", theirs);
      fclose(theirs);
    }
  }
  return REAL(fsync)(file);
}

/* With SAVED_BEFORE_ERASED they save it whole, with a line more, after our last look at it. */
static void save_whole(int file) {
  char path[4096], text[65536];
  if (getenv("SAVED_BEFORE_ERASED") == NULL || !is_late_draft(file, path, sizeof path)) return;
  unsetenv("SAVED_BEFORE_ERASED");
  FILE *ours = fopen(path, "r");
  if (ours == NULL) return;
  size_t length = fread(text, 1, sizeof text, ours);
  fclose(ours);
  FILE *theirs = fopen(path, "w");
  if (theirs == NULL) return;
  fwrite(text, 1, length, theirs);
  fputs("- saved before erased\n", theirs);
  fclose(theirs);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  save_whole(file);
  return REAL(pwrite)(file, bytes, length, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  save_whole(file);
  return REAL(pwrite64)(file, bytes, length, at);
}
