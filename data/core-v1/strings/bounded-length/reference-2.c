size_t bounded_length(const char *s, size_t n)
{
  size_t end = n;
  /*@ loop invariant 0 <= left <= end <= n;
      loop invariant \forall integer k; left <= k < end ==> s[k] != 0;
      loop invariant end < n ==> s[end] == 0;
      loop assigns left, end;
      loop variant left;
  */
  for (size_t left = n; left > 0; left--) {
    if (s[left - 1] == '\0') {
      end = left - 1;
    }
  }
  return end;
}
