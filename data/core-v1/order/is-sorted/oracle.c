#ifdef ORACLE
enum { EDGES = 10 };

static void input(int k)
{
  static const int low = -2147483647 - 1, high = 2147483647;
  static const int lengths[EDGES] = {0, 1, 2, 2, 2, 3, 3, 2, 2, 4};
  const int edges[EDGES][4] = {{0},       {5},       {1, 2},      {2, 2},      {2, 1},
                               {3, 1, 2}, {1, 3, 2}, {low, high}, {high, low}, {2, 1, 3, 4}};
  int a[64], n = k < EDGES ? lengths[k] : (int)draw(1, k % 4 == 0 ? 64 : 10);
  long long top = k % 3 == 0 ? 2 : k % 3 == 1 ? 50 : high;
  for (int i = 0; i < n; i++) a[i] = k < EDGES ? edges[k][i] : (int)draw(-top - 1, top);
  if (k >= EDGES && draw(0, 7) > 0) { /* mostly sorted, then perhaps one element out of place */
    for (int i = 1; i < n; i++)
      for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
        int t = a[j];
        a[j] = a[j - 1];
        a[j - 1] = t;
      }
    if (draw(0, 3) > 0) a[draw(0, n - 1)] = (int)draw(-top - 1, top);
  }
  put("n", n);
  put_array("a", a, n);
}

static void check(void)
{
  size_t n, m;
  int *a = in_array(int, "a", &n), *after = out_array(int, "a", &m);
  int falls = 0;
  for (size_t i = 0; i + 1 < n; i++) falls += a[i] > a[i + 1];
  expect(m == n && (n == 0 || memcmp(a, after, n * sizeof *a) == 0), "assigns \\nothing");
  if (falls == 0) expect(out("result") == 1, "sorted: \\result == 1");
  if (falls > 0) expect(out("result") == 0, "unsorted: \\result == 0");
}
#endif

static void call(void)
{
  size_t n;
  int *a = in_array(int, "a", &n);
  put("result", is_sorted(a, (int)n));
  put_array("a", a, n);
}
