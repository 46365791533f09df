int first_index(const int *a, int n, int value)
{
  /*@ loop invariant 0 <= i;
      loop assigns i;
      loop variant n - i;
  */
  for (int i = 0; i <= n; i++) {
    if (a[i] == value) {
      return i < n ? i : -1;
    }
  }
  return -1;
}
