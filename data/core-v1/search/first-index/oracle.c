#ifdef ORACLE
enum { EDGES = 6 };

static void input(int k)
{
  static const int lengths[EDGES] = {0, 1, 1, 2, 5, 64};
  int a[64], n = k < EDGES ? lengths[k] : (int)draw(0, 24);
  long long top = k % 3 == 0 ? 2 : k % 3 == 1 ? 9 : 2147483647;
  for (int i = 0; i < n; i++) a[i] = (int)draw(-top - 1, top);
  int value = n > 0 && draw(0, 3) > 0 ? a[draw(0, n - 1)] : (int)draw(-top - 1, top);
  put("n", n);
  put("value", value);
  put_array("a", a, n);
}

static void check(void)
{
  size_t n, m;
  int *a = in_array(int, "a", &n), *after = out_array(int, "a", &m);
  long long result = out("result"), first = -1;
  for (size_t i = 0; i < n && first < 0; i++)
    if (a[i] == in("value")) first = (long long)i;
  expect(m == n && (n == 0 || memcmp(a, after, n * sizeof *a) == 0), "assigns \\nothing");
  if (first < 0) expect(result == -1, "absent: \\result == -1");
  expect(result == first, "present: \\result is the first index that holds value");
}
#endif

static void call(void)
{
  size_t n;
  int *a = in_array(int, "a", &n);
  put("result", first_index(a, (int)n, (int)in("value")));
  put_array("a", a, n);
}
