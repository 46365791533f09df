unsigned int checksum(const unsigned char *data, size_t n)
{
  unsigned int low = 1;
  unsigned int high = 0;
  /*@ loop invariant 0 <= i <= n;
      loop invariant low == low_sum(data, i) % 65521;
      loop invariant high == high_sum(data, i) % 65521;
      loop invariant low < 65521 && high < 65521;
      loop assigns i, low, high;
      loop variant n - i;
  */
  for (size_t i = 0; i < n; i++) {
    high = (high + low) % 65521u;
    low = (low + data[i]) % 65521u;
  }
  return high * 65536u + low;
}
