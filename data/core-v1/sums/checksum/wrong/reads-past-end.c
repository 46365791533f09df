unsigned int checksum(const unsigned char *data, size_t n)
{
  unsigned int low = 1;
  unsigned int high = 0;
  size_t i = 0;
  unsigned char next = data[0];
  /*@ loop invariant 0 <= i <= n;
      loop invariant next == data[i];
      loop invariant low == low_sum(data, i) % 65521;
      loop invariant high == high_sum(data, i) % 65521;
      loop invariant low < 65521 && high < 65521;
      loop assigns i, next, low, high;
      loop variant n - i;
  */
  while (i < n) {
    low = (low + next) % 65521u;
    high = (high + low) % 65521u;
    i++;
    next = data[i];
  }
  return high * 65536u + low;
}
