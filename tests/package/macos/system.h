/* SPDX-License-Identifier: MIT */
/* The same of its system calls. */
#ifndef TESTS_MACOS_SYSTEM_H
#define TESTS_MACOS_SYSTEM_H

#include "standard.h"

#include <limits.h>
#include <stdbool.h>

#define PATH_MAX 1024

/* <unistd.h>, <fcntl.h>, <sys/file.h> */
enum { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
enum { F_OK = 0, X_OK = 1, W_OK = 2, R_OK = 4 };
enum {
    O_RDONLY = 0,
    O_WRONLY = 1,
    O_RDWR = 2,
    O_ACCMODE = 3,
    O_NONBLOCK = 4,
    O_APPEND = 8,
    O_NOFOLLOW = 0x100,
    O_CREAT = 0x200,
    O_TRUNC = 0x400,
    O_EXCL = 0x800,
    O_NOCTTY = 0x20000,
    O_CLOEXEC = 0x1000000
};
enum { F_GETFD = 1, F_SETFD = 2, F_GETFL = 3, F_SETFL = 4, F_DUPFD_CLOEXEC = 67, FD_CLOEXEC = 1 };
enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4 };
int open(const char *, int, ...);
int fcntl(int, int, ...);
int flock(int, int);
int close(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
off_t lseek(int, off_t, int);
int ftruncate(int, off_t);
int fsync(int);
int pipe(int[2]);
int dup2(int, int);
int access(const char *, int);
int unlink(const char *);
int rmdir(const char *);
int symlink(const char *, const char *);
int isatty(int);
int ttyname_r(int, char *, size_t);
pid_t getpid(void);
pid_t fork(void);
int setpgid(pid_t, pid_t);
int execvp(const char *, char *const[]);
_Noreturn void _exit(int);

/* <sys/stat.h> */
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    uint16_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
    off_t st_size;
    int64_t st_blocks;
    int32_t st_blksize;
    uint32_t st_flags, st_gen;
    int32_t st_lspare;
    int64_t st_qspare[2];
};
#define st_mtime st_mtimespec.tv_sec
#define S_ISREG(mode) (((mode)&0170000) == 0100000)
#define S_ISDIR(mode) (((mode)&0170000) == 0040000)
#define S_ISCHR(mode) (((mode)&0170000) == 0020000)
#define S_ISBLK(mode) (((mode)&0170000) == 0060000)
#define S_ISSOCK(mode) (((mode)&0170000) == 0140000)
enum { S_IRWXG = 070, S_IRWXO = 07 };
int stat(const char *, struct stat *);
int fstat(int, struct stat *);
int mkdir(const char *, mode_t);

/* <signal.h>, <sys/wait.h> */
enum {
    SIGHUP = 1,
    SIGINT = 2,
    SIGQUIT = 3,
    SIGILL = 4,
    SIGABRT = 6,
    SIGFPE = 8,
    SIGKILL = 9,
    SIGBUS = 10,
    SIGSEGV = 11,
    SIGSYS = 12,
    SIGPIPE = 13,
    SIGTERM = 15,
    SIGSTOP = 17,
    SIGTSTP = 18,
    SIGXCPU = 24,
    SIGXFSZ = 25
};
enum { SA_RESTART = 2, SA_RESETHAND = 4, SA_NODEFER = 16 };
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
typedef int sig_atomic_t;
typedef uint32_t sigset_t;
struct sigaction {
    union {
        void (*__sa_handler)(int);
        void (*__sa_sigaction)(int, void *, void *);
    } __sigaction_u;
    sigset_t sa_mask;
    int sa_flags;
};
#define sa_handler __sigaction_u.__sa_handler
void (*signal(int, void (*)(int)))(int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigemptyset(sigset_t *);
int raise(int);
int kill(pid_t, int);
enum { WNOHANG = 1 };
#define WIFSIGNALED(status) (((status)&0177) != 0177 && ((status)&0177) != 0)
#define WTERMSIG(status) ((status)&0177)
#define WEXITSTATUS(status) (((status) >> 8) & 0xFF)
pid_t waitpid(pid_t, int *, int);

/* <sys/ioctl.h>, <termios.h> */
#define TESTS_IO(how, group, number, type)                                                         \
    ((unsigned long)(how) | (unsigned long)sizeof(type) << 16 | (unsigned long)(group) << 8 |      \
     (unsigned long)(number))
#define _IOW(group, number, type) TESTS_IO(0x80000000u, group, number, type)
#define _IOR(group, number, type) TESTS_IO(0x40000000u, group, number, type)
#define TIOCEXCL (0x20000000ul | 't' << 8 | 13)
#define TIOCMGET _IOR('t', 106, int)
#define TIOCMSET _IOW('t', 109, int)
#define TIOCGWINSZ _IOR('t', 104, struct winsize)
#define FIONREAD _IOR('f', 127, int)
enum { TIOCM_DTR = 2, TIOCM_RTS = 4 };
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};
int ioctl(int, unsigned long, ...);
typedef unsigned long tcflag_t, speed_t;
typedef unsigned char cc_t;
struct termios {
    tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
    cc_t c_cc[20];
    speed_t c_ispeed, c_ospeed;
};
enum { VMIN = 16, VTIME = 17 };
enum { TCSANOW, TCSADRAIN, TCIFLUSH = 1 };
enum { ICRNL = 0x100, IXON = 0x200, IXOFF = 0x400, IXANY = 0x800 };
enum { CSTOPB = 0x400, CREAD = 0x800, HUPCL = 0x4000, CLOCAL = 0x8000, CRTSCTS = 0x30000 };
enum { ECHO = 8, ICANON = 0x100 };
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);
int tcflush(int, int);
int cfsetspeed(struct termios *, speed_t);
speed_t cfgetospeed(const struct termios *);
void cfmakeraw(struct termios *);

/* <sys/select.h>; <poll.h> is not here: it knows no devices */
#define FD_SETSIZE 1024
typedef struct {
    int32_t fds_bits[FD_SETSIZE / 32];
} fd_set;
#define FD_ZERO(set) ((void)memset(set, 0, sizeof *(set)))
#define FD_SET(fd, set) ((void)((set)->fds_bits[(fd) / 32] |= (int32_t)(1u << ((fd) % 32))))
#define FD_ISSET(fd, set) (((set)->fds_bits[(fd) / 32] & (int32_t)(1u << ((fd) % 32))) != 0)
int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);

/* <sys/socket.h>, <sys/un.h>, <netinet/in.h>, <netinet/tcp.h>, <arpa/inet.h>, <netdb.h> */
typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;
struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};
struct sockaddr_storage {
    uint8_t ss_len;
    sa_family_t ss_family;
    char ss_pad1[6];
    int64_t ss_align;
    char ss_pad2[112];
};
struct in_addr {
    uint32_t s_addr;
};
struct in6_addr {
    uint8_t s6_addr[16];
};
struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    uint16_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
struct sockaddr_in6 {
    uint8_t sin6_len;
    sa_family_t sin6_family;
    uint16_t sin6_port;
    uint32_t sin6_flowinfo;
    struct in6_addr sin6_addr;
    uint32_t sin6_scope_id;
};
struct sockaddr_un {
    unsigned char sun_len;
    sa_family_t sun_family;
    char sun_path[104];
};
struct ip_mreq {
    struct in_addr imr_multiaddr, imr_interface;
};
struct addrinfo {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    socklen_t ai_addrlen;
    char *ai_canonname;
    struct sockaddr *ai_addr;
    struct addrinfo *ai_next;
};
enum { AF_UNSPEC = 0, AF_UNIX = 1, AF_INET = 2, AF_INET6 = 30, SOCK_STREAM = 1, SOCK_DGRAM = 2 };
enum { IPPROTO_IP = 0, IPPROTO_TCP = 6, IPPROTO_UDP = 17, IPPROTO_IPV6 = 41, IPV6_V6ONLY = 27 };
enum {
    SOL_SOCKET = 0xffff,
    SO_REUSEADDR = 4,
    SO_KEEPALIVE = 8,
    SO_BROADCAST = 0x20,
    SO_REUSEPORT = 0x200,
    SO_SNDBUF = 0x1001,
    SO_RCVBUF = 0x1002,
    SO_ERROR = 0x1007,
    SO_NOSIGPIPE = 0x1022
};
enum { MSG_PEEK = 2, MSG_DONTWAIT = 0x80, SHUT_RD = 0, SHUT_WR = 1, SHUT_RDWR = 2 };
enum { TCP_NODELAY = 1, TCP_KEEPALIVE = 0x10, TCP_KEEPINTVL = 0x101, TCP_KEEPCNT = 0x102 };
enum { INET_ADDRSTRLEN = 16, INET6_ADDRSTRLEN = 46, NI_MAXHOST = 1025, NI_MAXSERV = 32 };
enum {
    AI_PASSIVE = 1,
    AI_NUMERICHOST = 4,
    AI_NUMERICSERV = 0x1000,
    NI_NUMERICHOST = 2,
    NI_NUMERICSERV = 8
};
enum { EAI_NONAME = 8, EAI_SYSTEM = 11 };
#define INADDR_ANY 0u
#define INADDR_LOOPBACK 0x7f000001u
#define INADDR_BROADCAST 0xffffffffu
#define htons(x) __builtin_bswap16(x)
#define ntohs(x) __builtin_bswap16(x)
#define htonl(x) __builtin_bswap32(x)
#define ntohl(x) __builtin_bswap32(x)
extern const struct in6_addr in6addr_any, in6addr_loopback;
int socket(int, int, int);
int socketpair(int, int, int, int[2]);
int bind(int, const struct sockaddr *, socklen_t);
int listen(int, int);
int accept(int, struct sockaddr *, socklen_t *);
int connect(int, const struct sockaddr *, socklen_t);
int getsockname(int, struct sockaddr *, socklen_t *);
int getsockopt(int, int, int, void *, socklen_t *);
int setsockopt(int, int, int, const void *, socklen_t);
ssize_t send(int, const void *, size_t, int);
ssize_t recv(int, void *, size_t, int);
ssize_t sendto(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
ssize_t recvfrom(int, void *, size_t, int, struct sockaddr *, socklen_t *);
int shutdown(int, int);
int getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);
void freeaddrinfo(struct addrinfo *);
const char *gai_strerror(int);
int getnameinfo(const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int);
const char *inet_ntop(int, const void *, char *, socklen_t);
int inet_pton(int, const char *, void *);

/* <libproc.h> */
enum { PROC_ALL_PIDS = 1 };
int proc_listpidspath(uint32_t, uint32_t, const char *, uint32_t, void *, int);
int proc_name(int, void *, uint32_t);

#endif
