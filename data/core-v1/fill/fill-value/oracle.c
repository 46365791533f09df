#ifdef ORACLE
enum { EDGES = 8 };

static void input(int k)
{
  static const int lengths[EDGES] = {0, 1, 1, 2, 3, 8, 64, 64};
  static const int values[EDGES] = {7, 0, -2147483647 - 1, 2147483647, -1, 1, 0, -1};
  int a[64], n = k < EDGES ? lengths[k] : (int)draw(0, 24);
  long long top = k % 3 == 0 ? 1 : k % 3 == 1 ? 9 : 2147483647;
  int value = k < EDGES ? values[k] : (int)draw(-top - 1, top);
  for (int i = 0; i < n; i++)
    a[i] = draw(0, 7) == 0 ? value : (int)draw(-top - 1, top);
  put("n", n);
  put("value", value);
  put_array("a", a, n);
}

static void check(void)
{
  size_t n;
  int *after = out_array(int, "a", &n);
  expect((long long)n == in("n"), "assigns a[0 .. n - 1]");
  size_t filled = 0;
  while (filled < n && after[filled] == in("value")) filled++;
  expect(filled == n, "ensures a[i] == value for every i in 0 .. n - 1");
}
#endif

static void call(void)
{
  size_t n;
  int *a = in_array(int, "a", &n);
  fill_value(a, (int)n, (int)in("value"));
  put_array("a", a, n);
}
