/* The two programs around an oracle.c; see oracle.h. */

/* The next record of a stream: u32 size, bytes. */
static int judge_next(struct judge_record *r, unsigned char *stream, size_t end, size_t *at) {
  if (end - *at < 4) return 0;
  memcpy(&r->size, stream + *at, 4);
  if (r->size > JUDGE_RECORD || r->size > end - *at - 4) return 0;
  r->data = stream + *at + 4;
  *at += 4 + r->size;
  return 1;
}

#ifndef ORACLE

/* The candidate: a supervisor and a child that runs the calls.  A call that crashes or does not end
 * takes the child with it; the next child goes on after that input.  After JUDGE_STUCK endless or
 * JUDGE_CRASHED crashed calls the rest is not run and counts as failed. */
int main(void) {
  size_t end, at = 4;
  unsigned char *inputs = judge_read_all(&end);
  volatile size_t *where = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int stuck = 0, crashed = 0;
  if (end < 4 || where == MAP_FAILED) judge_fail("oracle: no inputs");
  judge_buffers();
  while (at < end && stuck < JUDGE_STUCK && crashed < JUDGE_CRASHED) {
    *where = at;
    pid_t child = fork();
    if (child < 0) judge_fail("oracle: fork failed");
    if (child == 0) {
      while (*where = at, judge_next(&judge_in, inputs, end, &at)) {
        struct itimerval limit = {{0, 0}, {0, JUDGE_INPUT_MS * 1000}};
        judge_reset();
        setitimer(ITIMER_PROF, &limit, 0);
        call();
        memset(&limit, 0, sizeof limit);
        setitimer(ITIMER_PROF, &limit, 0);
        unsigned char head[5] = {'R'};
        memcpy(head + 1, &judge_out.size, 4);
        judge_write(1, head, 5);
        judge_write(1, judge_out.data, judge_out.size);
      }
      _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child) judge_fail("oracle: wait failed");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    at = *where;
    if (!judge_next(&judge_in, inputs, end, &at)) judge_fail("oracle: lost its place");
    int is_stuck = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
    unsigned char head[5] = {is_stuck ? 'T' : 'C'};
    is_stuck ? stuck++ : crashed++;
    judge_write(1, head, 5);
  }
  return 0;
}

#else

static int judge_holds(void) { /* does judge_out satisfy the contract on judge_in? */
  judge_absent = 0;
  judge_broken = 0;
  check();
  if (judge_absent && !judge_broken) judge_broken = "the output record is not whole";
  return judge_broken == 0;
}

static void judge_text(const char *text) { /* a JSON string */
  judge_write(1, "\"", 1);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') judge_write(1, "\\", 1);
    if ((unsigned char)*text >= 32) judge_write(1, text, 1);
  }
  judge_write(1, "\"", 1);
}

static int judge_inputs(const char *seed, int count) {
  uint32_t total = (uint32_t)(EDGES + count);
  for (const char *p = seed; *p; p++) judge_state = (judge_state ^ (unsigned char)*p) * 0x100000001b3u;
  judge_write(1, &total, 4);
  for (int k = 0; k < (int)total; k++) {
    judge_reset();
    input(k);
    judge_write(1, &judge_out.size, 4);
    judge_write(1, judge_out.data, judge_out.size);
  }
  return 0;
}

static int judge_check(void) {
  size_t end, at = 4;
  unsigned char *stream = judge_read_all(&end);
  uint32_t total;
  if (end < 4) judge_fail("oracle: no inputs");
  memcpy(&total, stream, 4);
  if (total == 0 || total > 1000000) judge_fail("oracle: bad input count");
  char *passed = malloc(total), *stubs = malloc((size_t)total * (JUDGE_STUBS + 1));
  if (!passed || !stubs) judge_fail("oracle: no memory");
  unsigned char *scratch = judge_out.data;
  size_t out_at = 4;
  for (uint32_t k = 0; k < total; k++)
    if (!judge_next(&judge_in, stream, end, &out_at)) judge_fail("oracle: inputs are not whole");
  int whole = 1, first = -1;
  char how = 'R';
  const char *clause = "";
  for (uint32_t k = 0; k < total; k++) {
    if (!judge_next(&judge_in, stream, end, &at)) judge_fail("oracle: inputs are not whole");
    char ended = 'N'; /* not run */
    if (whole && out_at < end && (stream[out_at] == 'R' || stream[out_at] == 'T' || stream[out_at] == 'C')) {
      ended = (char)stream[out_at++];
      whole = judge_next(&judge_out, stream, end, &out_at);
      if (!whole) ended = 'N';
    } else {
      whole = 0;
    }
    int ok = ended == 'R' && judge_holds();
    passed[k] = ok ? '1' : '0';
    if (!ok && first < 0) {
      first = (int)k;
      how = ended;
      clause = ended == 'R' ? judge_broken : "";
    }
    judge_out.data = scratch;
    for (judge_stub = 0; judge_stub < JUDGE_STUBS; judge_stub++) {
      judge_reset();
      call();
      stubs[(uint32_t)judge_stub * total + k] = judge_holds() ? '1' : '0';
    }
  }
  judge_write(1, "{\"passed\":\"", 11);
  judge_write(1, passed, total);
  judge_write(1, "\",\"stubs\":[", 11);
  for (int s = 0; s < JUDGE_STUBS; s++) {
    judge_write(1, s ? ",\"" : "\"", s ? 2 : 1);
    judge_write(1, stubs + (uint32_t)s * total, total);
    judge_write(1, "\"", 1);
  }
  judge_write(1, "],\"first\":", 10);
  char number[16], *p = number + sizeof number;
  unsigned value = first < 0 ? 0 : (unsigned)first;
  do *--p = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  if (first < 0) judge_write(1, "null", 4);
  else judge_write(1, p, (size_t)(number + sizeof number - p));
  judge_write(1, ",\"ended\":\"", 10);
  judge_write(1, &how, 1);
  judge_write(1, "\",\"clause\":", 11);
  judge_text(clause);
  judge_write(1, "}\n", 2);
  return 0;
}

int main(int argc, char **argv) {
  judge_buffers();
  if (argc == 4 && strcmp(argv[1], "input") == 0) return judge_inputs(argv[2], atoi(argv[3]));
  if (argc == 2 && strcmp(argv[1], "check") == 0) return judge_check();
  judge_fail("usage: oracle input SEED COUNT | oracle check");
}

#endif
