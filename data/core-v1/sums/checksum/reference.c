unsigned int checksum(const unsigned char *data, size_t n)
{
  unsigned int low = 1;
  unsigned int high = 0;
  /*@ loop invariant 0 <= i <= n;
      loop invariant low == low_sum(data, i) % 65521;
      loop invariant high == high_sum(data, i) % 65521;
      loop invariant low < 65521 && high < 65521;
      loop invariant low_sum(data, i) >= 0 && high_sum(data, i) >= 0;
      loop assigns i, low, high;
      loop variant n - i;
  */
  for (size_t i = 0; i < n; i++) {
    unsigned int next_low = low + data[i];
    //@ assert next_low % 65521 == low_sum(data, i + 1) % 65521;
    low = next_low % 65521u;
    //@ assert low == low_sum(data, i + 1) % 65521;
    unsigned int next_high = high + low;
    //@ assert next_high % 65521 == high_sum(data, i + 1) % 65521;
    high = next_high % 65521u;
  }
  return high * 65536u + low;
}
