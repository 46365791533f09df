#ifdef ORACLE
enum { EDGES = 8 };

static void input(int k)
{
  static const int lengths[EDGES] = {0, 1, 2, 3, 4, 5, 63, 64};
  int a[64], n = k < EDGES ? lengths[k] : (int)draw(0, k % 4 == 0 ? 64 : 11);
  long long top = k % 3 == 0 ? 3 : k % 3 == 1 ? 99 : 2147483647;
  for (int i = 0; i < n; i++) a[i] = k < EDGES ? 10 * i - 7 : (int)draw(-top - 1, top);
  put("n", n);
  put_array("a", a, n);
}

static void check(void)
{
  size_t n, m;
  int *before = in_array(int, "a", &n), *after = out_array(int, "a", &m);
  expect(m == n, "assigns a[0 .. n - 1]");
  for (size_t i = 0, j = n; i < n; i++)
    expect(after[i] == before[--j],
           "ensures a[i] == \\old(a[n - 1 - i]) for every i in 0 .. n - 1");
}
#endif

static void call(void)
{
  size_t n;
  int *a = in_array(int, "a", &n);
  reverse_in_place(a, (int)n);
  put_array("a", a, n);
}
