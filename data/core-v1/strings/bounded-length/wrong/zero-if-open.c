size_t bounded_length(const char *s, size_t n)
{
  /*@ loop invariant 0 <= i <= n;
      loop invariant \forall integer k; 0 <= k < i ==> s[k] != 0;
      loop assigns i;
      loop variant n - i;
  */
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '\0') {
      return i;
    }
  }
  return 0;
}
