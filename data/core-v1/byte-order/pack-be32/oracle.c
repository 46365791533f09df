#ifdef ORACLE
enum { EDGES = 9 };

static void input(int k)
{
  static const uint8_t edges[EDGES][4] = {
    {0, 0, 0, 0}, {1, 2, 3, 4}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},
    {128, 0, 0, 0}, {0, 0, 0, 128}, {255, 255, 255, 255},
  };
  uint8_t bytes[4];
  for (int i = 0; i < 4; i++)
    bytes[i] = k < EDGES ? edges[k][i] : (uint8_t)(k % 2 == 0 ? draw(0, 255) : 16 * draw(0, 15));
  put_array("bytes", bytes, 4);
}

static void check(void)
{
  size_t n;
  uint8_t *bytes = in_array(uint8_t, "bytes", 0), *after = out_array(uint8_t, "bytes", &n);
  long long rest = out("result");
  expect(n == 4 && memcmp(bytes, after, 4) == 0, "assigns \\nothing");
  for (int i = 3; i >= 0; i--) { /* take the number apart again */
    expect(rest % 256 == bytes[i],
           "\\result == 16777216 * bytes[0] + 65536 * bytes[1] + 256 * bytes[2] + bytes[3]");
    rest /= 256;
  }
  expect(rest == 0, "\\result == 16777216 * bytes[0] + 65536 * bytes[1] + 256 * bytes[2] + bytes[3]");
}
#endif

static void call(void)
{
  uint8_t *bytes = in_array(uint8_t, "bytes", 0);
  put("result", pack_be32(bytes));
  put_array("bytes", bytes, 4);
}
