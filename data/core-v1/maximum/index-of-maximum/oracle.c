#ifdef ORACLE
enum { EDGES = 8 };

static void input(int k)
{
  static const int edges[EDGES][3] = {
      {-5}, {-2147483647 - 1, -2147483647 - 1}, {-3, -1, -2}, {4, 4, 4},
      {2147483647, -2147483647 - 1, 2147483647}, {1, 2, 3}, {3, 2, 3}, {0, -1, 0}};
  static const int lengths[EDGES] = {1, 2, 3, 3, 3, 3, 3, 3};
  int a[64], n = k < EDGES ? lengths[k] : (int)draw(1, k % 5 == 0 ? 64 : 12);
  long long top = k % 3 == 0 ? 2 : k % 3 == 1 ? 20 : 2147483647;
  long long least = -top - 1;
  if (draw(0, 3) == 0) top = -1; /* negative values alone */
  for (int i = 0; i < n; i++) a[i] = k < EDGES ? edges[k][i] : (int)draw(least, top);
  put("n", n);
  put_array("a", a, n);
}

static void check(void)
{
  size_t n, m;
  int *a = in_array(int, "a", &n), *after = out_array(int, "a", &m);
  long long result = out("result"), size = (long long)n;
  expect(m == n && memcmp(a, after, n * sizeof *a) == 0, "assigns \\nothing");
  expect(0 <= result && result < size, "ensures 0 <= \\result < n");
  for (long long i = 0; i < size; i++)
    expect(a[i] <= a[result], "ensures a[i] <= a[\\result] for every i in 0 .. n - 1");
  for (long long i = 0; i < result; i++)
    expect(a[i] < a[result], "ensures a[i] < a[\\result] for every i before \\result");
}
#endif

static void call(void)
{
  size_t n;
  int *a = in_array(int, "a", &n);
  put("result", index_of_maximum(a, (int)n));
  put_array("a", a, n);
}
