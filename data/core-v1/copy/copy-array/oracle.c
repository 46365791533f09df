#ifdef ORACLE
enum { EDGES = 7 };

static void input(int k)
{
  static const int lengths[EDGES] = {0, 1, 2, 3, 4, 17, 64};
  int to[64], from[64], n = k < EDGES ? lengths[k] : (int)draw(0, 24);
  long long top = k % 3 == 0 ? 2147483647 : k % 3 == 1 ? 2 : 9;
  for (int i = 0; i < n; i++) {
    from[i] = (int)draw(-top - 1, top);
    to[i] = (int)draw(-top - 1, top);
  }
  if (k < EDGES && n > 0) { /* both ends differ, and hold extremes */
    from[0] = -2147483647 - 1;
    from[n - 1] = 2147483647;
    to[0] = to[n - 1] = 0;
  }
  put("n", n);
  put_array("to", to, n);
  put_array("from", from, n);
}

static void check(void)
{
  size_t n, m, l;
  int *from = in_array(int, "from", &n);
  int *source = out_array(int, "from", &m), *to = out_array(int, "to", &l);
  expect(m == n && (n == 0 || memcmp(source, from, n * sizeof *from) == 0),
         "assigns to[0 .. n - 1]: from is not changed");
  expect(l == n && (n == 0 || memcmp(to, from, n * sizeof *from) == 0),
         "ensures to[i] == from[i] for every i in 0 .. n - 1");
}
#endif

static void call(void)
{
  size_t n;
  int *to = in_array(int, "to", &n), *from = in_array(int, "from", &n);
  copy_array(to, from, (int)n);
  put_array("to", to, n);
  put_array("from", from, n);
}
