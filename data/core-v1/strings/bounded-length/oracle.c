#ifdef ORACLE
enum { EDGES = 9 };

static void input(int k)
{
  static const int lengths[EDGES] = {0, 1, 1, 2, 3, 4, 5, 64, 64};
  static const char edges[6][5] = {"", "\0", "x", "\0\0", "a\0b", "\x80\xff\x01\x7f"};
  char s[64];
  int n = k < EDGES ? lengths[k] : (int)draw(1, k % 4 == 0 ? 64 : 12);
  for (int i = 0; i < n; i++) s[i] = (char)(k % 2 == 0 ? draw(1, 255) : draw('a', 'z'));
  if (k < 6) memcpy(s, edges[k], (size_t)n);
  if (k == 6 || k == 7) s[n - 1] = 0;
  if (k >= EDGES)
    for (int zeros = (int)draw(0, 3); zeros > 0; zeros--) s[draw(0, n - 1)] = 0;
  put("n", n);
  put_array("s", s, n);
}

static void check(void)
{
  size_t n, m;
  char *s = in_array(char, "s", &n), *after = out_array(char, "s", &m);
  long long result = out("result"), size = (long long)n;
  char *end = n == 0 ? 0 : memchr(s, 0, n);
  expect(m == n && (n == 0 || memcmp(s, after, n) == 0), "assigns \\nothing");
  if (!end) expect(result == size, "open: \\result == n");
  if (end) expect(0 <= result && result < size, "ended: \\result < n");
  if (end) expect(s[result] == 0, "ended: s[\\result] == 0");
  if (end) expect(result == end - s, "ensures s[i] != 0 for every i before \\result");
}
#endif

static void call(void)
{
  size_t n;
  char *s = in_array(char, "s", &n);
  put("result", (long long)bounded_length(s, n));
  put_array("s", s, n);
}
