unsigned int checksum(const unsigned char *data, size_t n)
{
  unsigned int low = 1;
  unsigned int high = 0;
  /*@ loop invariant 0 <= i <= n;
      loop invariant low == low_sum(data, i);
      loop invariant high == high_sum(data, i);
      loop assigns i, low, high;
      loop variant n - i;
  */
  for (size_t i = 0; i < n; i++) {
    low += data[i];
    high += low;
  }
  return (high % 65521u) * 65536u + low % 65521u;
}
