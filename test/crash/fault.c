/* Preloaded into a process: lets the Nth call that writes below a folder fail with a chosen error.
   FAULT_FOLDER, FAULT_AT (0: only count), FAULT_ERRNO; the count is written to FAULT_COUNT at exit. */
#define _GNU_SOURCE
#include "exchange.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

static atomic_int calls = 0;

static int below(const char *path) {
  const char *folder = getenv("FAULT_FOLDER");
  return folder != NULL && path != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int fails(const char *path) {
  if (!below(path) || strstr(path, ".sqlite-shm") != NULL) return 0;
  int at = atoi(getenv("FAULT_AT") ? getenv("FAULT_AT") : "0");
  if (atomic_fetch_add(&calls, 1) + 1 != at) return 0;
  errno = atoi(getenv("FAULT_ERRNO") ? getenv("FAULT_ERRNO") : "28");
  return 1;
}

static int fails_fd(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return fails(path);
}

__attribute__((destructor)) static void tell(void) {
  const char *name = getenv("FAULT_COUNT");
  FILE *file = name == NULL ? NULL : fopen(name, "w");
  if (file == NULL) return;
  fprintf(file, "%d\n", atomic_load(&calls));
  fclose(file);
}

ssize_t write(int fd, const void *data, size_t size) {
  if (fd > 2 && fails_fd(fd)) {
    /* Half of it reaches the disk, as when a disk runs full. */
    int error = errno;
    if (size > 1) (void)!REAL(write)(fd, data, size / 2);
    errno = error;
    return -1;
  }
  return REAL(write)(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  return fails_fd(fd) ? -1 : REAL(pwrite64)(fd, data, size, at);
}

int fsync(int fd) { return fails_fd(fd) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails_fd(fd) ? -1 : REAL(fdatasync)(fd); }
int rename(const char *from, const char *to) { return fails(to) ? -1 : REAL(rename)(from, to); }

static int before_exchange(const char *to) { return fails(to); }
