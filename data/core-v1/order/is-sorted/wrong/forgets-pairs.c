int is_sorted(const int *a, int n)
{
  /*@ loop invariant 1 <= i;
      loop assigns i;
      loop variant n - i;
  */
  for (int i = 1; i < n; i++) {
    if (a[i - 1] > a[i]) {
      return 0;
    }
  }
  return 1;
}
