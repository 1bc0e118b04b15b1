/* Preloaded into a process: counts the steps by which it changes the disk below MAYHEM_FOLDER, makes some of them, and
   some of its opens, slow, and stops or kills it at a chosen one. STEPS names a file that whoever watches reads and writes meanwhile: struct steps. */
#define _GNU_SOURCE
#include "exchange.h"
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>

struct steps {
  _Atomic uint32_t count, stop_at, die_at;
  char last[244];
};

static struct steps *steps;
static const char *folder;
static int slow_ms;

__attribute__((constructor)) static void begin(void) {
  srand((unsigned)atoi(getenv("MAYHEM_SEED") ? getenv("MAYHEM_SEED") : "1"));
  folder = getenv("MAYHEM_FOLDER");
  slow_ms = atoi(getenv("MAYHEM_MS") ? getenv("MAYHEM_MS") : "0");
  const char *name = getenv("STEPS");
  int file = name == NULL ? -1 : REAL(open)(name, O_RDWR);
  if (file < 0) return;
  void *page = mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) steps = page;
  close(file);
}

static int is_ours(const char *path) {
  return steps != NULL && folder != NULL && path != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

/* Seldom, but long: enough to part any two steps now and then, without making the test slow. */
static void be_slow(void) {
  if (slow_ms > 0 && rand() % 100 == 0) usleep((useconds_t)(rand() % slow_ms) * 1000);
}

/* True if the process dies now: whoever can do half of the step does so before it calls die(). */
static int step(const char *what, const char *path) {
  if (!is_ours(path)) return 0;
  be_slow();
  /* Locks and what is shared in memory hold nothing; what is written ahead counts once it is synced. */
  if (strstr(path, "-shm") != NULL || strstr(path, "/locks/") != NULL) return 0;
  if (strstr(path, "-wal") != NULL && strcmp(what, "write") == 0) return 0;
  uint32_t count = atomic_fetch_add(&steps->count, 1) + 1;
  snprintf(steps->last, sizeof steps->last, "%s %s", what, path + strlen(folder) - 1);
  if (count == steps->stop_at) kill(getpid(), SIGSTOP);
  return steps->die_at != 0 && count >= steps->die_at;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  pause();
}

static void step_or_die(const char *what, const char *path) {
  if (step(what, path)) die();
}

static int step_fd(const char *what, int fd) {
  char link[64], path[4096];
  if (steps == NULL || fd < 3) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return step(what, path);
}

#define MODE(flags, last)                                   \
  mode_t mode = 0;                                          \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list list;                                           \
    va_start(list, last);                                   \
    mode = (mode_t)va_arg(list, int);                       \
    va_end(list);                                           \
  }

/* Who only reads changes nothing. */
static void before_open(const char *path, int flags) {
  if ((flags & (O_CREAT | O_TRUNC)) != 0) step_or_die((flags & O_TRUNC) != 0 ? "empty" : "make", path);
  else if (is_ours(path)) be_slow();
}

int open(const char *path, int flags, ...) {
  MODE(flags, flags)
  before_open(path, flags);
  return REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags, flags)
  before_open(path, flags);
  return REAL(open64)(path, flags, mode);
}

ssize_t write(int fd, const void *data, size_t size) {
  if (step_fd("write", fd)) {
    if (rand() % 2 == 0) (void)!REAL(write)(fd, data, size / 2);
    die();
  }
  return REAL(write)(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  if (step_fd("write", fd)) {
    if (rand() % 2 == 0) (void)!REAL(pwrite64)(fd, data, size / 2, at);
    die();
  }
  return REAL(pwrite64)(fd, data, size, at);
}

int fsync(int fd) {
  if (step_fd("sync", fd)) die();
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  if (step_fd("sync", fd)) die();
  return REAL(fdatasync)(fd);
}

int ftruncate64(int fd, off64_t size) {
  if (step_fd("truncate", fd)) die();
  return REAL(ftruncate64)(fd, size);
}

int rename(const char *from, const char *to) {
  step_or_die("rename", to);
  return REAL(rename)(from, to);
}

int link(const char *from, const char *to) {
  step_or_die("link", to);
  return REAL(link)(from, to);
}

int unlink(const char *path) {
  step_or_die("unlink", path);
  return REAL(unlink)(path);
}

static int before_exchange(const char *to) {
  step_or_die("exchange", to);
  return 0;
}
