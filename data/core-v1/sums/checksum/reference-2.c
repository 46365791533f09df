unsigned int checksum(const unsigned char *data, size_t n)
{
  unsigned int low = 1;
  unsigned int high = 0;
  size_t i = 0;
  /*@ loop invariant 0 <= i <= n;
      loop invariant low == low_sum(data, i) % 65521;
      loop invariant high == high_sum(data, i) % 65521;
      loop invariant low < 65521 && high < 65521;
      loop invariant low_sum(data, i) >= 0 && high_sum(data, i) >= 0;
      loop assigns i, low, high;
      loop variant n - i;
  */
  while (i < n) {
    low = low + data[i];
    if (low >= 65521u) {
      low = low - 65521u;
    }
    high = high + low;
    if (high >= 65521u) {
      high = high - 65521u;
    }
    i++;
  }
  return high * 65536u + low;
}
