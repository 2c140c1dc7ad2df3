/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program, lets one of its file operations below a folder not happen: the process is killed before it,
   or it fails. Operations are what changes files: open() for writing, write(), fsync(), ftruncate(), rename(), link(), unlink(),
   mkdir(), rmdir(), in all forms of the C library that are called by name.

   FILE_FAULTS_FOLDER  absolute path, without which nothing is counted
   FILE_FAULTS_AT      number of the operation, from 1; 0: none
   FILE_FAULTS_HOW     "kill", "eio" (it alone fails) or "enospc" (it and all later ones that need room fail)
   FILE_FAULTS_COUNT   file to write the number of operations to at the end, and a line for each */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long operations;

/* Notes the operation where it is counted. Not by write(), which is one itself. */
static void note(long number, char const* what, char const* path) {
  char const* const place = getenv("FILE_FAULTS_COUNT");
  if (place == NULL) return;
  char line[PATH_MAX + 64];
  int const length = snprintf(line, sizeof line, "%ld %s %s\n", number, what, path);
  long const file = syscall(SYS_openat, AT_FDCWD, place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  syscall(SYS_write, file, line, (size_t)length);
  syscall(SYS_close, file);
}

/* Whether the operation on `path` is to fail, with errno set. */
static int fails(char const* what, char const* path, int needs_room) {
  char const* const folder = getenv("FILE_FAULTS_FOLDER");
  if (folder == NULL || path == NULL || strncmp(path, folder, strlen(folder)) != 0) return 0;
  long const number = atomic_fetch_add(&operations, 1) + 1;
  note(number, what, path);
  char const* const at = getenv("FILE_FAULTS_AT");
  char const* const how = getenv("FILE_FAULTS_HOW");
  long const wanted = at == NULL ? 0 : atol(at);
  if (wanted == 0 || how == NULL || number < wanted) return 0;
  if (strcmp(how, "enospc") == 0 && needs_room) {
    errno = ENOSPC;
    return 1;
  }
  if (number > wanted) return 0;
  if (strcmp(how, "kill") == 0) {
    kill(getpid(), SIGKILL);
    pause();
  }
  if (strcmp(how, "eio") == 0) {
    errno = EIO;
    return 1;
  }
  return 0;
}

static char const* path_of(int file, char* buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t const length = readlink(link, buffer, PATH_MAX - 1);
  if (length < 0) return NULL;
  buffer[length] = '\0';
  return buffer;
}

static char const* path_at(int folder, char const* path, char* buffer) {
  if (path[0] == '/' || folder == AT_FDCWD) return path;
  if (path_of(folder, buffer) == NULL) return NULL;
  size_t const length = strlen(buffer);
  snprintf(buffer + length, PATH_MAX - length, "/%s", path);
  return buffer;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MODE(flags, last)                      \
  mode_t mode = 0;                             \
  if (((flags) & (O_CREAT | O_TMPFILE)) != 0) { \
    va_list list;                              \
    va_start(list, last);                      \
    mode = va_arg(list, mode_t);               \
    va_end(list);                              \
  }

static int open_fails(char const* path, int flags) {
  return (flags & (O_CREAT | O_TRUNC)) != 0 && fails("open", path, (flags & O_CREAT) != 0);
}

int open(char const* path, int flags, ...) {
  MODE(flags, flags)
  return open_fails(path, flags) ? -1 : NEXT(open)(path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  MODE(flags, flags)
  return open_fails(path, flags) ? -1 : NEXT(open64)(path, flags, mode);
}
int openat(int folder, char const* path, int flags, ...) {
  MODE(flags, flags)
  char buffer[PATH_MAX];
  return open_fails(path_at(folder, path, buffer), flags) ? -1 : NEXT(openat)(folder, path, flags, mode);
}
FILE* fopen(char const* path, char const* mode) {
  return mode[0] != 'r' && fails("open", path, 1) ? NULL : NEXT(fopen)(path, mode);
}
FILE* fopen64(char const* path, char const* mode) {
  return mode[0] != 'r' && fails("open", path, 1) ? NULL : NEXT(fopen64)(path, mode);
}
ssize_t write(int file, void const* data, size_t size) {
  char buffer[PATH_MAX];
  return fails("write", path_of(file, buffer), 1) ? -1 : NEXT(write)(file, data, size);
}
ssize_t writev(int file, struct iovec const* parts, int count) {
  char buffer[PATH_MAX];
  return fails("write", path_of(file, buffer), 1) ? -1 : NEXT(writev)(file, parts, count);
}
ssize_t pwrite(int file, void const* data, size_t size, off_t at) {
  char buffer[PATH_MAX];
  return fails("write", path_of(file, buffer), 1) ? -1 : NEXT(pwrite)(file, data, size, at);
}
ssize_t pwrite64(int file, void const* data, size_t size, off64_t at) {
  char buffer[PATH_MAX];
  return fails("write", path_of(file, buffer), 1) ? -1 : NEXT(pwrite64)(file, data, size, at);
}
int fsync(int file) {
  char buffer[PATH_MAX];
  return fails("fsync", path_of(file, buffer), 0) ? -1 : NEXT(fsync)(file);
}
int ftruncate(int file, off_t size) {
  char buffer[PATH_MAX];
  return fails("ftruncate", path_of(file, buffer), 1) ? -1 : NEXT(ftruncate)(file, size);
}
int ftruncate64(int file, off64_t size) {
  char buffer[PATH_MAX];
  return fails("ftruncate", path_of(file, buffer), 1) ? -1 : NEXT(ftruncate64)(file, size);
}
int rename(char const* from, char const* to) { return fails("rename", from, 0) ? -1 : NEXT(rename)(from, to); }
int link(char const* from, char const* to) { return fails("link", to, 1) ? -1 : NEXT(link)(from, to); }
int unlink(char const* path) { return fails("unlink", path, 0) ? -1 : NEXT(unlink)(path); }
int remove(char const* path) { return fails("unlink", path, 0) ? -1 : NEXT(remove)(path); }
int rmdir(char const* path) { return fails("rmdir", path, 0) ? -1 : NEXT(rmdir)(path); }
int unlinkat(int folder, char const* path, int flags) {
  char buffer[PATH_MAX];
  return fails("unlink", path_at(folder, path, buffer), 0) ? -1 : NEXT(unlinkat)(folder, path, flags);
}
int mkdir(char const* path, mode_t mode) { return fails("mkdir", path, 1) ? -1 : NEXT(mkdir)(path, mode); }
