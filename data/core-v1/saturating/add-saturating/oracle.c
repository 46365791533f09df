#ifdef ORACLE
enum { EDGES = 12 };
enum { LOWEST = -2147483647 - 1, HIGHEST = 2147483647 };

static void input(int k)
{
  static const int edges[EDGES][2] = {
    {0, 0}, {HIGHEST, 0}, {HIGHEST, 1}, {1, HIGHEST}, {HIGHEST, HIGHEST}, {LOWEST, 0}, {LOWEST, -1},
    {-1, LOWEST}, {LOWEST, LOWEST}, {LOWEST, HIGHEST}, {HIGHEST - 1, 1}, {LOWEST + 1, -1},
  };
  if (k < EDGES) {
    put("a", edges[k][0]);
    put("b", edges[k][1]);
    return;
  }
  long long a, b;
  switch (k % 4) {
  case 0: /* small */
    a = draw(-50, 50);
    b = draw(-50, 50);
    break;
  case 1: /* any */
    a = draw(LOWEST, HIGHEST);
    b = draw(LOWEST, HIGHEST);
    break;
  default: /* close to a limit on either side */
    a = draw(1, HIGHEST);
    b = HIGHEST - a + draw(-3, 8);
    if (b > HIGHEST) b = HIGHEST;
    if (k % 4 == 3) {
      a = -a;
      b = -b;
    }
  }
  put("a", a);
  put("b", b);
}

static void check(void)
{
  long long exact = in("a") + in("b"), result = out("result");
  if (exact > HIGHEST)
    expect(result == HIGHEST, "too_large: \\result == INT_MAX");
  else if (exact < LOWEST)
    expect(result == LOWEST, "too_small: \\result == INT_MIN");
  else
    expect(result == exact, "fits: \\result == a + b");
}
#endif

static void call(void)
{
  put("result", add_saturating((int)in("a"), (int)in("b")));
}
