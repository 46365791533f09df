size_t bounded_length(const char *s, size_t n)
{
  size_t length = 0;
  /*@ loop invariant 0 <= length <= n;
      loop invariant \forall integer k; 0 <= k < length ==> s[k] != 0;
      loop assigns length;
      loop variant n - length;
  */
  while (length < n) {
    length++;
    if (s[length - 1] == '\0') {
      break;
    }
  }
  return length;
}
