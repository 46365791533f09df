size_t bounded_length(const char *s, size_t n)
{
  size_t end = n;
  /*@ loop invariant 0 <= i <= n && 0 <= end <= n;
      loop invariant end < n ==> s[end] == 0;
      loop assigns i, end;
      loop variant n - i;
  */
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '\0') {
      end = i;
    }
  }
  return end;
}
