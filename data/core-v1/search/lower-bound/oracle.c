#ifdef ORACLE
enum { EDGES = 10 };

static void input(int k)
{
  static const int low = -2147483647 - 1, high = 2147483647;
  static const int lengths[EDGES] = {0, 1, 1, 1, 3, 4, 4, 2, 2, 5};
  const int edges[EDGES][5] = {
      {0},          {5},          {5},         {5},         {7, 7, 7},
      {1, 3, 5, 7}, {1, 3, 5, 7}, {low, high}, {low, high}, {2, 4, 4, 4, 9}};
  const int values[EDGES] = {3, 5, 4, 6, 7, 8, 0, high, low, 4};
  int a[64], n = k < EDGES ? lengths[k] : (int)draw(0, k % 4 == 0 ? 64 : 14);
  long long top = k % 3 == 0 ? 3 : k % 3 == 1 ? 20 : high;
  for (int i = 0; i < n; i++) {
    int item = k < EDGES ? edges[k][i] : (int)draw(-top - 1, top), j = i;
    for (; j > 0 && a[j - 1] > item; j--) a[j] = a[j - 1];
    a[j] = item;
  }
  int value = (int)draw(-top - 1, top), way = (int)draw(0, 5);
  if (n > 0 && way < 2) value = a[draw(0, n - 1)];
  if (n > 0 && way == 2 && a[n - 1] < high) value = a[n - 1] + 1;
  put("n", n);
  put("value", k < EDGES ? values[k] : value);
  put_array("a", a, n);
}

static void check(void)
{
  size_t n, m;
  int *a = in_array(int, "a", &n), *after = out_array(int, "a", &m);
  long long result = out("result"), less = 0;
  for (size_t i = 0; i < n; i++) less += a[i] < in("value");
  expect(m == n && (n == 0 || memcmp(a, after, n * sizeof *a) == 0), "assigns \\nothing");
  expect(0 <= result && result <= (long long)n, "ensures 0 <= \\result <= n");
  expect(result <= less, "ensures a[i] < value for every i before \\result");
  expect(result >= less, "ensures a[i] >= value for every i from \\result on");
}
#endif

static void call(void)
{
  size_t n;
  int *a = in_array(int, "a", &n);
  put("result", lower_bound(a, (int)n, (int)in("value")));
  put_array("a", a, n);
}
