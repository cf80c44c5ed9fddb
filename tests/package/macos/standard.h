/* SPDX-License-Identifier: MIT */
/* The functions of a C library that hostlink uses, declared as macOS 12 has them on both its processors. Constants and
 * layouts follow its published manual pages and open sources; the texts are our own. */
#ifndef TESTS_MACOS_STANDARD_H
#define TESTS_MACOS_STANDARD_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef long ssize_t;
typedef int64_t off_t;
typedef long time_t;
typedef int pid_t;
typedef uint16_t mode_t;
typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef uint32_t uid_t, gid_t;

/* <inttypes.h> */
#define PRId32 "d"
#define PRIi32 "i"
#define PRIu8 "hhu"
#define PRIu16 "hu"
#define PRIu32 "u"
#define PRIx8 "hhx"
#define PRIx16 "hx"
#define PRIx32 "x"
#define PRIX32 "X"
#define PRId64 "lld"
#define PRIi64 "lli"
#define PRIu64 "llu"
#define PRIx64 "llx"
#define PRIX64 "llX"
#define PRIuPTR "lu"
#define PRIxPTR "lx"
#define SCNu32 "u"
#define SCNu64 "llu"
#define SCNx64 "llx"

/* <errno.h>, <sys/errno.h> */
extern int *__error(void);
#define errno (*__error())
enum {
    EPERM = 1,
    ENOENT = 2,
    EINTR = 4,
    EIO = 5,
    ENXIO = 6,
    E2BIG = 7,
    EBADF = 9,
    ECHILD = 10,
    ENOMEM = 12,
    EACCES = 13,
    EBUSY = 16,
    EEXIST = 17,
    ENODEV = 19,
    ENOTDIR = 20,
    EISDIR = 21,
    EINVAL = 22,
    EMFILE = 24,
    ENOTTY = 25,
    EFBIG = 27,
    ENOSPC = 28,
    ESPIPE = 29,
    EROFS = 30,
    EPIPE = 32,
    EDOM = 33,
    ERANGE = 34,
    EAGAIN = 35,
    EWOULDBLOCK = EAGAIN,
    EINPROGRESS = 36,
    ENOTSOCK = 38,
    EMSGSIZE = 40,
    ENOTSUP = 45,
    EADDRINUSE = 48,
    EADDRNOTAVAIL = 49,
    ENETUNREACH = 51,
    ECONNABORTED = 53,
    ECONNRESET = 54,
    ENOBUFS = 55,
    ENOTCONN = 57,
    ETIMEDOUT = 60,
    ECONNREFUSED = 61,
    ELOOP = 62,
    ENAMETOOLONG = 63,
    EHOSTUNREACH = 65,
    ESTALE = 70,
    ENOSYS = 78,
    EOVERFLOW = 84,
    ECANCELED = 89,
    EILSEQ = 92,
    EBADMSG = 94,
    ENODATA = 96,
    EPROTO = 100
};

/* <stdio.h> */
typedef struct stdio_file FILE;
extern FILE *__stdinp, *__stdoutp, *__stderrp;
#define stdin __stdinp
#define stdout __stdoutp
#define stderr __stderrp
#define EOF (-1)
#define BUFSIZ 1024
enum { SEEK_SET, SEEK_CUR, SEEK_END, _IOFBF = 0, _IOLBF, _IONBF };
int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *, const char *, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *, size_t, const char *, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *, size_t, const char *, va_list) __attribute__((format(printf, 3, 0)));
int vfprintf(FILE *, const char *, va_list) __attribute__((format(printf, 2, 0)));
int vprintf(const char *, va_list) __attribute__((format(printf, 1, 0)));
int asprintf(char **, const char *, ...) __attribute__((format(printf, 2, 3)));
int vasprintf(char **, const char *, va_list) __attribute__((format(printf, 2, 0)));
int sscanf(const char *, const char *, ...) __attribute__((format(scanf, 2, 3)));
FILE *fopen(const char *, const char *);
FILE *fdopen(int, const char *);
FILE *open_memstream(char **, size_t *);
int fclose(FILE *);
int fflush(FILE *);
int fileno(FILE *);
int ferror(FILE *);
int feof(FILE *);
void clearerr(FILE *);
int fputs(const char *, FILE *);
int fputc(int, FILE *);
int putc(int, FILE *);
int putchar(int);
int puts(const char *);
int fgetc(FILE *);
int getc(FILE *);
int ungetc(int, FILE *);
char *fgets(char *, int, FILE *);
ssize_t getline(char **, size_t *, FILE *);
size_t fread(void *, size_t, size_t, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
int setvbuf(FILE *, char *, int, size_t);
int fseek(FILE *, long, int);
long ftell(FILE *);
int fseeko(FILE *, off_t, int);
off_t ftello(FILE *);
void rewind(FILE *);
int rename(const char *, const char *);
void perror(const char *);

/* <stdlib.h> */
enum { EXIT_SUCCESS, EXIT_FAILURE };
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
long long strtoll(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
double strtod(const char *, char **);
double atof(const char *);
int atoi(const char *);
long atol(const char *);
int abs(int);
long labs(long);
long long llabs(long long);
char *getenv(const char *);
int setenv(const char *, const char *, int);
char *realpath(const char *, char *);
char *mkdtemp(char *);
int mkostemp(char *, int);
int posix_openpt(int);
int grantpt(int);
int unlockpt(int);
char *ptsname(int);
int atexit(void (*)(void));
_Noreturn void exit(int);
_Noreturn void abort(void);

/* <string.h>, <strings.h> */
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
void *memmem(const void *, size_t, const void *, size_t);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *stpcpy(char *, const char *);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
char *strcasestr(const char *, const char *);
char *strpbrk(const char *, const char *);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
char *strdup(const char *);
char *strndup(const char *, size_t);
char *strtok_r(char *, const char *, char **);
char *strerror(int);

/* <ctype.h> */
int isalnum(int);
int isalpha(int);
int isdigit(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);

/* <math.h> */
#define HUGE_VAL __builtin_huge_val()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)
double fabs(double);
double floor(double);
double ceil(double);
double round(double);
double rint(double);
double trunc(double);
double fmod(double, double);
double fmin(double, double);
double fmax(double, double);
double sqrt(double);
double pow(double, double);
double exp(double);
double log(double);
double log2(double);
double log10(double);
double ldexp(double, int);
double frexp(double, int *);
long lround(double);
long long llround(double);
long long llrint(double);
double erfc(double);
double lgamma(double);
double copysign(double, double);
double hypot(double, double);

/* <time.h>, <sys/time.h> */
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct timeval {
    time_t tv_sec;
    int tv_usec;
};
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
};
typedef enum { CLOCK_REALTIME, CLOCK_MONOTONIC = 6 } clockid_t;
time_t time(time_t *);
int clock_gettime(clockid_t, struct timespec *);
struct tm *gmtime(const time_t *);
struct tm *localtime(const time_t *);
struct tm *gmtime_r(const time_t *, struct tm *);
struct tm *localtime_r(const time_t *, struct tm *);
size_t strftime(char *, size_t, const char *, const struct tm *);

/* <assert.h>, <fnmatch.h> */
#define assert(condition) ((condition) ? (void)0 : abort())
int fnmatch(const char *, const char *, int);
enum { FNM_NOMATCH = 1, FNM_NOESCAPE = 1, FNM_PATHNAME, FNM_PERIOD = 4, FNM_CASEFOLD = 16 };

#endif
