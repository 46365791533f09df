int first_index(const int *a, int n, int value)
{
  int found = -1;
  /*@ loop invariant 0 <= i <= n;
      loop invariant -1 <= found < i;
      loop assigns i, found;
      loop variant n - i;
  */
  for (int i = 0; i < n; i++) {
    if (a[i] == value) {
      found = i;
    }
  }
  return found;
}
