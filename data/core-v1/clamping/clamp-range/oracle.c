#ifdef ORACLE
enum { EDGES = 8 };

static void input(int k)
{
  static const int edges[EDGES][3] = {
    {0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {5, -5, 5}, {-5, -5, 5},
    {2147483647, -2147483647 - 1, -1}, {-2147483647 - 1, 1, 2147483647}, {7, -2147483647 - 1, 2147483647},
  };
  if (k < EDGES) {
    put("value", edges[k][0]);
    put("low", edges[k][1]);
    put("high", edges[k][2]);
    return;
  }
  long long top = k % 3 == 0 ? 4 : k % 3 == 1 ? 1000 : 2147483647;
  long long x = draw(-top, top), y = draw(-top, top), low = x < y ? x : y, high = x < y ? y : x;
  long long place = draw(0, 2);
  put("value", place == 0 ? draw(-top - 1, low) : place == 1 ? draw(low, high) : draw(high, top));
  put("low", low);
  put("high", high);
}

static void check(void)
{
  /* The result is the middle one of the three values in ascending order. */
  long long v[3] = {in("low"), in("value"), in("high")}, value = v[1];
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++)
      if (v[j] < v[i]) {
        long long t = v[i];
        v[i] = v[j];
        v[j] = t;
      }
  const char *clause = value < in("low")    ? "below: \\result == low"
                       : value > in("high") ? "above: \\result == high"
                                            : "inside: \\result == value";
  expect(out("result") == v[1], clause);
}
#endif

static void call(void)
{
  put("result", clamp_range((int)in("value"), (int)in("low"), (int)in("high")));
}
