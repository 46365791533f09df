#ifdef ORACLE
enum { EDGES = 9 };
enum { LOWEST = -2147483647 - 1, HIGHEST = 2147483647 };

static void input(int k)
{
  static const int edges[EDGES][2] = {
    {0, 0}, {1, 2}, {2, 1}, {-1, -2}, {HIGHEST, LOWEST}, {LOWEST, HIGHEST}, {HIGHEST, HIGHEST - 1}, {0, LOWEST},
    {LOWEST, LOWEST},
  };
  long long top = k % 3 == 0 ? 3 : k % 3 == 1 ? 1000 : HIGHEST;
  int pair[2];
  for (int i = 0; i < 2; i++) pair[i] = k < EDGES ? edges[k][i] : (int)draw(-top - 1, top);
  if (k >= EDGES && pair[0] < pair[1] && draw(0, 2) == 0) { /* two of three are out of order */
    int t = pair[0];
    pair[0] = pair[1];
    pair[1] = t;
  }
  put_array("lo", pair, 1);
  put_array("hi", pair + 1, 1);
}

static void check(void)
{
  size_t n, m;
  int *was_lo = in_array(int, "lo", 0), *was_hi = in_array(int, "hi", 0);
  int *lo = out_array(int, "lo", &n), *hi = out_array(int, "hi", &m);
  expect(n == 1 && m == 1, "the output record is not whole");
  expect(lo[0] <= hi[0], "*lo <= *hi");
  expect((lo[0] == was_lo[0] && hi[0] == was_hi[0]) || (lo[0] == was_hi[0] && hi[0] == was_lo[0]),
         "*lo and *hi hold the two old values");
}
#endif

static void call(void)
{
  int *lo = in_array(int, "lo", 0), *hi = in_array(int, "hi", 0);
  order_pair(lo, hi);
  put_array("lo", lo, 1);
  put_array("hi", hi, 1);
}
