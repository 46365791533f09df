#ifdef ORACLE
enum { EDGES = 9 };

static void input(int k)
{
  static const int lengths[EDGES] = {0, 1, 1, 2, 256, 257, 1024, 5553, 8192};
  unsigned char data[8192];
  int n = k < EDGES ? lengths[k] : (int)draw(0, k % 3 == 0 ? 1024 : k % 3 == 1 ? 400 : 12);
  int least = k == 1 ? 0 : k < EDGES ? 255 : (int)draw(0, 255);
  for (int i = 0; i < n; i++) data[i] = (unsigned char)(k == 1 ? 0 : draw(least, 255));
  if (k == 5) data[n - 1] = 240; /* one and the bytes make 65521 */
  put("n", n);
  put_array("data", data, n);
}

static void check(void)
{
  size_t n, m;
  unsigned char *data = in_array(unsigned char, "data", &n);
  unsigned char *after = out_array(unsigned char, "data", &m);
  long long low = 1, high = (long long)n; /* byte i counts in n - i of the low halves */
  for (size_t i = 0; i < n; i++) {
    low += data[i];
    high += (long long)(n - i) * data[i];
  }
  expect(m == n && (n == 0 || memcmp(data, after, n) == 0), "assigns \\nothing");
  expect(out("result") == high % 65521 * 65536 + low % 65521,
         "ensures \\result == (high_sum % 65521) * 65536 + low_sum % 65521");
}
#endif

static void call(void)
{
  size_t n;
  unsigned char *data = in_array(unsigned char, "data", &n);
  put("result", checksum(data, n));
  put_array("data", data, n);
}
