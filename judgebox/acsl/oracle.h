/* The oracle's driver: judges one C function by executing its contract.
 *
 * One oracle.c gives two programs.  The *oracle* (-DORACLE, with the trivial stubs in the target's
 * body) draws inputs and checks outputs.  The *candidate* (the judged text) only runs the target.
 * They share no process, no uid and no directory; records go between them as bytes, and the oracle
 * believes none of them.
 *
 *   oracle input SEED COUNT          inputs to stdout: the edges, then COUNT drawn from SEED
 *   candidate < inputs               outputs to stdout, or how a run ended
 *   oracle check < inputs + outputs  one line of JSON
 *
 * The translation unit is judged.c (the task's text), oracle.h, oracle.c, oracle_main.c.  An oracle.c
 * defines, and may use only what stands here beside the task's own types:
 *
 *   #ifdef ORACLE
 *   enum { EDGES = 3 };                how many inputs come before the drawn ones
 *   static void input(int k) { … }     put() the k-th input; draw(lo, hi) for what is drawn
 *   static void check(void) { … }      expect(condition, "clause"); reads in…() and out…()
 *   #endif
 *   static void call(void) { … }       reads in…(), calls the target, put()s every output
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JUDGE_RECORD = 1 << 20, JUDGE_STREAM = 1 << 26, JUDGE_STUCK = 2, JUDGE_CRASHED = 16 };
enum { JUDGE_INPUT_MS = 50 }; /* CPU time of one call; a call takes microseconds */

struct judge_record {
  unsigned char *data;
  uint32_t size;
};
static struct judge_record judge_in, judge_out;

static void judge_fail(const char *why) {
  (void)!write(2, why, strlen(why));
  (void)!write(2, "\n", 1);
  _exit(9);
}

static void judge_write(int fd, const void *data, size_t size) {
  const char *p = data;
  while (size > 0) {
    ssize_t n = write(fd, p, size);
    if (n <= 0) judge_fail("oracle: write failed");
    p += n;
    size -= (size_t)n;
  }
}

static unsigned char *judge_read_all(size_t *size) {
  unsigned char *buffer = mmap(0, JUDGE_STREAM, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (buffer == MAP_FAILED) judge_fail("oracle: no memory");
  *size = 0;
  for (ssize_t n; (n = read(0, buffer + *size, JUDGE_STREAM - *size)) > 0;) *size += (size_t)n;
  return buffer;
}

/* Records: items of {u8 element size | 0x80 if signed | 0x40 if scalar, u8 name length, name, u32 count, data} */

static void judge_put(const char *name, const void *data, unsigned flags, unsigned size, size_t n) {
  size_t name_size = strlen(name);
  if (name_size > 255 || n > JUDGE_RECORD / 16 ||
      judge_out.size + 6 + name_size + size * n > JUDGE_RECORD)
    judge_fail("oracle: record too large");
  unsigned char *p = judge_out.data + judge_out.size;
  uint32_t count = (uint32_t)n;
  *p++ = (unsigned char)(flags | size);
  *p++ = (unsigned char)name_size;
  memcpy(p, name, name_size);
  memcpy(p += name_size, &count, 4);
  if (n > 0) memcpy(p + 4, data, size * n);
  judge_out.size += (uint32_t)(6 + name_size + size * n);
}

static const unsigned char *judge_find(struct judge_record r, const char *name, unsigned *flags,
                                       uint32_t *count) {
  size_t wanted = strlen(name);
  for (uint32_t at = 0; r.size - at >= 6;) {
    const unsigned char *p = r.data + at;
    uint32_t name_size = p[1], n;
    if (r.size - at < 6 + name_size) return 0;
    memcpy(&n, p + 2 + name_size, 4);
    uint64_t size = (uint64_t)(p[0] & 15) * n;
    if (size > r.size - at - 6 - name_size) return 0;
    if (name_size == wanted && memcmp(p + 2, name, wanted) == 0) {
      *flags = p[0];
      *count = n;
      return p + 6 + name_size;
    }
    at += (uint32_t)(6 + name_size + size);
  }
  return 0;
}

static const char *judge_broken; /* the clause that fails; 0 while all hold */
static int judge_absent;         /* a record does not hold what was asked of it */

static long long judge_scalar(struct judge_record r, const char *name) {
  unsigned flags;
  uint32_t count;
  long long value = 0;
  const unsigned char *p = judge_find(r, name, &flags, &count);
  if (!p || (flags & 0x4f) != (0x40 | 8) || count != 1) {
    judge_absent = 1;
    return 0;
  }
  memcpy(&value, p, 8);
  return value;
}

static void *judge_array(struct judge_record r, const char *name, unsigned size, size_t *n) {
  unsigned flags;
  uint32_t count = 0;
  const unsigned char *p = judge_find(r, name, &flags, &count);
  if (!p || (flags & 0x4f) != size) {
    judge_absent = 1;
    count = 0;
  }
  /* exactly sized, the sanitizer guards both ends; an empty array is the end of a block, since
   * malloc(0) would give one byte that may be read */
  size_t bytes = size * (size_t)count, before = bytes == 0 ? 16 : 0;
  unsigned char *copy = malloc(before + bytes);
  if (!copy) judge_fail("oracle: no memory");
  if (bytes > 0) memcpy(copy, p, bytes);
  if (n) *n = count;
  return copy + before;
}

/* What an oracle.c uses. */

#define JUDGE_SIGN(T) ((T)-1 < (T)1 ? 0x80u : 0u)

static void put(const char *name, long long v) { judge_put(name, &v, 0xc0, 8, 1); }
static void put_unsigned(const char *name, unsigned long long v) { judge_put(name, &v, 0x40, 8, 1); }
#define put_array(name, p, n) \
  judge_put(name, p, JUDGE_SIGN(__typeof__((p)[0])), sizeof((p)[0]), n)

#define in(name) judge_scalar(judge_in, name)
#define out(name) judge_scalar(judge_out, name)
#define in_array(T, name, n) ((T *)judge_array(judge_in, name, sizeof(T), n))
#define out_array(T, name, n) ((T *)judge_array(judge_out, name, sizeof(T), n))

#define expect(condition, clause)       \
  do {                                  \
    if (!(condition)) {                 \
      judge_broken = clause;            \
      return;                           \
    }                                   \
  } while (0)

static void call(void);

#ifdef ORACLE
int judge_stub; /* which trivial body the target has now */
static uint64_t judge_state;
static void input(int k);
static void check(void);
static long long draw(long long lo, long long hi) {
  uint64_t z = (judge_state += 0x9e3779b97f4a7c15u); /* splitmix64 */
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  uint64_t span = (uint64_t)hi - (uint64_t)lo + 1;
  return span == 0 ? (long long)z : (long long)((uint64_t)lo + z % span);
}
#endif

static void judge_reset(void) {
  judge_out.size = 0;
  judge_absent = 0;
  judge_broken = 0;
}

static void judge_buffers(void) {
  judge_out.data = malloc(JUDGE_RECORD);
  if (!judge_out.data) judge_fail("oracle: no memory");
}
