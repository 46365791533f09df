/* A rectangle travels as its four fields: left, top, right, bottom. */

#ifdef ORACLE
enum { EDGES = 10 };
enum { LOWEST = -2147483647 - 1, HIGHEST = 2147483647 };

static void draw_side(int *from, int *to, long long top)
{
  long long x = draw(-top - 1, top), y = draw(-top - 1, top - 1);
  if (y >= x) y++;
  *from = (int)(x < y ? x : y);
  *to = (int)(x < y ? y : x);
}

static void input(int k)
{
  static const int edges[EDGES][9] = {
    /* a, b, whether both pointers are equal */
    {0, 0, 4, 4, 2, 1, 6, 3, 0},                                  /* b sticks out to the right */
    {0, 0, 4, 4, 4, 0, 8, 4, 0},                                  /* touch at a column */
    {0, 4, 4, 8, 0, 0, 4, 4, 0},                                  /* touch at a row */
    {0, 0, 4, 4, 4, 4, 8, 8, 0},                                  /* touch at a corner */
    {1, 1, 2, 2, 0, 0, 9, 9, 0},                                  /* a within b */
    {0, 3, 9, 4, 4, 0, 5, 9, 0},                                  /* a cross */
    {-3, -3, 5, 5, -3, -3, 5, 5, 1},                              /* one object */
    {0, 0, 4, 4, 1, 7, 3, 9, 0},                                  /* same columns, other rows */
    {LOWEST, LOWEST, HIGHEST, HIGHEST, -1, -1, HIGHEST, 1, 0},    /* sizes beyond int */
    {LOWEST, LOWEST, -1, -1, 1, 1, HIGHEST, HIGHEST, 0},
  };
  static const int before[4] = {-77, 1234567, 5, -6};
  int a[4], b[4], same;
  if (k < EDGES) {
    memcpy(a, edges[k], sizeof a);
    memcpy(b, edges[k] + 4, sizeof b);
    same = edges[k][8];
  } else {
    long long top = k % 4 < 2 ? 5 : k % 4 == 2 ? 1000 : HIGHEST;
    for (int i = 0; i < 2; i++) {
      draw_side(a + i, a + i + 2, top);
      draw_side(b + i, b + i + 2, top);
      if (k % 2 == 0 && (a[i] > b[i + 2] || b[i] > a[i + 2])) /* so that overlaps are frequent */
        draw_side(b + i, b + i + 2, top);
    }
    same = draw(0, 15) == 0;
    if (same) memcpy(b, a, sizeof b);
  }
  put("same", same);
  put_array("a", a, 4);
  put_array("b", b, 4);
  put_array("common", before, 4);
}

static void check(void)
{
  size_t n, m, l;
  int *a = in_array(int, "a", 0), *b = in_array(int, "b", 0), *before = in_array(int, "common", 0);
  int *a_after = out_array(int, "a", &n), *b_after = out_array(int, "b", &m);
  int *common = out_array(int, "common", &l);
  expect(n == 4 && m == 4 && l == 4, "the output record is not whole");
  expect(memcmp(a, a_after, 4 * sizeof *a) == 0 && memcmp(b, b_after, 4 * sizeof *b) == 0,
         "assigns common->left, common->top, common->right, common->bottom");
  int overlap = 1;
  for (int i = 0; i < 2; i++)
    if (a[i] >= b[i + 2] || b[i] >= a[i + 2]) overlap = 0;
  if (!overlap) {
    expect(out("result") == 0, "apart: \\result == 0");
    expect(memcmp(before, common, 4 * sizeof *common) == 0, "apart: assigns \\nothing");
    return;
  }
  expect(out("result") == 1, "overlap: \\result == 1");
  /* A maximum is a bound that is reached. */
  expect(common[0] >= a[0] && common[0] >= b[0] && (common[0] == a[0] || common[0] == b[0]),
         "overlap: common->left == \\max(a->left, b->left)");
  expect(common[1] >= a[1] && common[1] >= b[1] && (common[1] == a[1] || common[1] == b[1]),
         "overlap: common->top == \\max(a->top, b->top)");
  expect(common[2] <= a[2] && common[2] <= b[2] && (common[2] == a[2] || common[2] == b[2]),
         "overlap: common->right == \\min(a->right, b->right)");
  expect(common[3] <= a[3] && common[3] <= b[3] && (common[3] == a[3] || common[3] == b[3]),
         "overlap: common->bottom == \\min(a->bottom, b->bottom)");
}
#endif

static struct rectangle *unpack(const char *name)
{
  int *side = in_array(int, name, 0);
  struct rectangle *r = malloc(sizeof *r);
  if (!r) judge_fail("oracle: no memory");
  r->left = side[0];
  r->top = side[1];
  r->right = side[2];
  r->bottom = side[3];
  return r;
}

static void pack(const char *name, const struct rectangle *r)
{
  int side[4] = {r->left, r->top, r->right, r->bottom};
  put_array(name, side, 4);
}

static void call(void)
{
  struct rectangle *a = unpack("a"), *b = in("same") ? a : unpack("b"), *common = unpack("common");
  put("result", rectangle_intersection(a, b, common));
  pack("a", a);
  pack("b", b);
  pack("common", common);
}
