int first_index(const int *a, int n, int value)
{
  /*@ loop invariant 1 <= i;
      loop assigns i;
      loop variant n - i;
  */
  for (int i = 1; i < n; i++) {
    if (a[i] == value) {
      return i;
    }
  }
  return -1;
}
