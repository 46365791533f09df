#ifdef ORACLE
enum { EDGES = 10 };
enum { LOWEST = -2147483647 - 1, HIGHEST = 2147483647 };

static void input(int k)
{
  static const int edges[EDGES][2] = {
    {0, 0}, {3, 5}, {5, 3}, {-3, 4}, {4, -3}, {LOWEST, HIGHEST}, {HIGHEST, LOWEST}, {LOWEST, 0},
    {-1, HIGHEST}, {LOWEST, LOWEST},
  };
  if (k < EDGES) {
    put("a", edges[k][0]);
    put("b", edges[k][1]);
    return;
  }
  long long top = k % 3 == 0 ? 6 : k % 3 == 1 ? 100000 : HIGHEST;
  put("a", draw(-top - 1, top));
  put("b", draw(-top - 1, top));
}

static void check(void)
{
  long long low = in("a"), high = in("b"), result = out("result");
  const char *clause = low < high ? "a < b ==> \\result == b - a" : "a >= b ==> \\result == a - b";
  if (low > high) {
    low = in("b");
    high = in("a");
  }
  expect(result >= 0 && low + result == high, clause);
}
#endif

static void call(void)
{
  put("result", absolute_difference((int)in("a"), (int)in("b")));
}
