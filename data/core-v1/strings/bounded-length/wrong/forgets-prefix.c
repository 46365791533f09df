size_t bounded_length(const char *s, size_t n)
{
  size_t length = 0;
  /*@ loop invariant 0 <= length <= n;
      loop assigns length;
      loop variant n - length;
  */
  while (length < n && s[length] != 0) {
    length++;
  }
  return length;
}
