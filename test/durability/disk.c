// Stands between a process and its disk (LD_PRELOAD). Below the folder DISK_FOLDER it records, in the order in which they
// happen, all that changes files, and what is waited for; or it refuses, where the file DISK_REFUSE says so
// ("ENOSPC", "EROFS", "EMFILE", "EIO"). DISK_RECORD is the file of the record. Nothing else is touched.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>


static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;
static const char *folder, *refuse;

__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("DISK_RECORD");
  folder = getenv("DISK_FOLDER");
  refuse = getenv("DISK_REFUSE");
  if (file) record = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void put(const void *data, size_t size) {
  const char *at = data;
  while (size > 0) {
    long n = syscall(SYS_write, record, at, size);
    if (n <= 0) abort();
    at += n, size -= n;
  }
}

static void note(const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list values;
  va_start(values, format);
  int size = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  put(line, size);
}

/** Whether it is in the folder. @param path absolute afterwards */
static int inside(int at, const char *name, char *path) {
  if (!folder || !name) return 0;
  if (name[0] == '/') snprintf(path, PATH_MAX, "%s", name);
  else {
    char base[PATH_MAX - 300], self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", at);
    ssize_t size = at == AT_FDCWD ? -1 : syscall(SYS_readlinkat, AT_FDCWD, self, base, sizeof base - 1);
    if (size < 0) {
      if (!getcwd(base, sizeof base)) return 0;
    } else base[size] = 0;
    snprintf(path, PATH_MAX, "%s/%s", base, name);
  }
  size_t size = strlen(folder);
  return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == 0);
}

static int held(int fd, char *path) {
  char self[64];
  if (!folder) return 0;
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, self, path, PATH_MAX - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return inside(AT_FDCWD, path, (char[PATH_MAX]){0});
}

static unsigned long inode(int fd) {
  struct stat is;
  return fstat(fd, &is) == 0 ? is.st_ino : 0;
}

static unsigned long inode_at(const char *path) {
  struct stat is;
  return lstat(path, &is) == 0 ? is.st_ino : 0;
}

/** What the disk says now; 0: nothing against it. @param opens whether only a descriptor is asked for */
static int refusal(int opens) {
  char word[16] = "";
  if (!refuse) return 0;
  int fd = syscall(SYS_openat, AT_FDCWD, refuse, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  long size = syscall(SYS_read, fd, word, sizeof word - 1);
  syscall(SYS_close, fd);
  if (size > 0) word[size] = 0;
  if (strcmp(word, "EMFILE") == 0) return opens ? EMFILE : 0;
  if (strcmp(word, "ENOSPC") == 0) return opens ? 0 : ENOSPC;
  if (strcmp(word, "EROFS") == 0) return EROFS;
  if (strcmp(word, "EIO") == 0) return opens ? 0 : EIO;
  return 0;
}

#define REFUSED(opens) \
  do { int why = refusal(opens); if (why) { errno = why; return -1; } } while (0)

static int opened(int at, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  if (!inside(at, name, path)) return syscall(SYS_openat, at, name, flags, mode);
  int writes = (flags & O_ACCMODE) != O_RDONLY;
  int why = refusal(1);
  if (why == EMFILE || (why == EROFS && (writes || (flags & O_CREAT)))) { errno = why; return -1; }
  if ((flags & O_CREAT) && inode_at(path) == 0 && refusal(0) == ENOSPC) { errno = ENOSPC; return -1; }
  pthread_mutex_lock(&turn);
  int is_new = (flags & O_CREAT) && inode_at(path) == 0;
  int fd = syscall(SYS_openat, at, name, flags, mode);
  if (fd >= 0 && record >= 0) {
    if (is_new) note("C\t%lu\t%s\n", inode(fd), path);
    else if (flags & O_TRUNC) note("T\t%lu\t0\n", inode(fd));
  }
  pthread_mutex_unlock(&turn);
  return fd;
}

#define MODE(last) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, last); mode = va_arg(more, mode_t); va_end(more); }

int open(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE(flags) return opened(AT_FDCWD, name, flags | O_LARGEFILE, mode); }
int openat(int at, const char *name, int flags, ...) { MODE(flags) return opened(at, name, flags, mode); }
int openat64(int at, const char *name, int flags, ...) { MODE(flags) return opened(at, name, flags | O_LARGEFILE, mode); }

static void written(int fd, const char *data, ssize_t size, off_t at) {
  if (size <= 0 || record < 0) return;
  note("W\t%lu\t%ld\t%ld\n", inode(fd), (long)at, (long)size);
  put(data, size);
}

static ssize_t write_at(int fd, const void *data, size_t size, off_t at) {
  char path[PATH_MAX];
  int ours = held(fd, path);
  if (ours) REFUSED(0);
  if (ours) pthread_mutex_lock(&turn);
  off_t before = at >= 0 ? at : ours ? lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR) : 0;
  ssize_t done = at >= 0 ? syscall(SYS_pwrite64, fd, data, size, at) : syscall(SYS_write, fd, data, size);
  if (ours) written(fd, data, done, before), pthread_mutex_unlock(&turn);
  return done;
}

ssize_t write(int fd, const void *data, size_t size) { return write_at(fd, data, size, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return write_at(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return write_at(fd, data, size, at); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  char path[PATH_MAX];
  if (!held(fd, path)) return syscall(SYS_writev, fd, parts, count);
  ssize_t all = 0;
  for (int n = 0; n < count; n++) {
    ssize_t done = write(fd, parts[n].iov_base, parts[n].iov_len);
    if (done < 0) return all > 0 ? all : -1;
    all += done;
  }
  return all;
}

static int cut(int fd, off_t size) {
  char path[PATH_MAX];
  int ours = held(fd, path);
  if (ours) REFUSED(0);
  if (ours) pthread_mutex_lock(&turn);
  int done = syscall(SYS_ftruncate, fd, size);
  if (ours && done == 0 && record >= 0) note("T\t%lu\t%ld\n", inode(fd), (long)size);
  if (ours) pthread_mutex_unlock(&turn);
  return done;
}
int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }

static int waited(int fd, int call) {
  char path[PATH_MAX];
  int ours = held(fd, path);
  if (ours && refusal(0) == EIO) { errno = EIO; return -1; }
  int done = syscall(call, fd);
  if (ours && done == 0 && record >= 0) {
    pthread_mutex_lock(&turn);
    note("S\t%lu\n", inode(fd));
    pthread_mutex_unlock(&turn);
  }
  return done;
}
int fsync(int fd) { return waited(fd, SYS_fsync); }
int fdatasync(int fd) { return waited(fd, SYS_fdatasync); }

static int named(long (*act)(int, const char *, int, const char *, long), int at, const char *name, int to,
                 const char *other, long more, char kind) {
  char path[PATH_MAX], second[PATH_MAX];
  int ours = inside(at, name, path);
  if (other && kind == 'R') ours |= inside(to, other, second);
  if (!ours || (kind == 'M' && inode_at(path) != 0)) return act(at, name, to, other, more);
  if (kind == 'U') { if (refusal(0) == EROFS) { errno = EROFS; return -1; } }
  else REFUSED(0);
  pthread_mutex_lock(&turn);
  int done = act(at, name, to, other, more);
  int saved = errno;
  if (done == 0 && record >= 0) {
    if (kind == 'R') note("R\t%s\t%s\n", path, second);
    if (kind == 'U') note("U\t%s\n", path);
    if (kind == 'M') note("M\t%lu\t%s\n", inode_at(path), path);
    if (kind == 'L') note("L\t%lu\t%s\t%s\n", inode_at(path), path, other);
  }
  pthread_mutex_unlock(&turn);
  errno = saved;
  return done;
}

static long rename_it(int at, const char *name, int to, const char *other, long more) { (void)more; return syscall(SYS_renameat, at, name, to, other); }
static long unlink_it(int at, const char *name, int to, const char *other, long more) { (void)to, (void)other; return syscall(SYS_unlinkat, at, name, more); }
static long mkdir_it(int at, const char *name, int to, const char *other, long more) { (void)to, (void)other; return syscall(SYS_mkdirat, at, name, more); }
static long symlink_it(int at, const char *name, int to, const char *other, long more) { (void)to, (void)more; return syscall(SYS_symlinkat, other, at, name); }

int rename(const char *from, const char *to) { return named(rename_it, AT_FDCWD, from, AT_FDCWD, to, 0, 'R'); }
int renameat(int at, const char *from, int other, const char *to) { return named(rename_it, at, from, other, to, 0, 'R'); }
int unlink(const char *path) { return named(unlink_it, AT_FDCWD, path, 0, 0, 0, 'U'); }
int unlinkat(int at, const char *path, int flags) { return named(unlink_it, at, path, 0, 0, flags, 'U'); }
int rmdir(const char *path) { return named(unlink_it, AT_FDCWD, path, 0, 0, AT_REMOVEDIR, 'U'); }
int remove(const char *path) {
  struct stat is;
  if (lstat(path, &is) != 0) return -1;
  return S_ISDIR(is.st_mode) ? rmdir(path) : unlink(path);
}
int mkdir(const char *path, mode_t mode) { return named(mkdir_it, AT_FDCWD, path, 0, 0, mode, 'M'); }
int mkdirat(int at, const char *path, mode_t mode) { return named(mkdir_it, at, path, 0, 0, mode, 'M'); }
int symlink(const char *target, const char *path) { return named(symlink_it, AT_FDCWD, path, 0, target, 0, 'L'); }
