int is_sorted(const int *a, int n)
{
  /*@ loop invariant 1 <= i;
      loop invariant \forall integer k; 0 <= k < i - 1 && k < n - 1 ==> a[k] <= a[k + 1];
      loop assigns i;
      loop variant n - i;
  */
  for (int i = 1; i < n; i++) {
    if (a[i] - a[i - 1] < 0) {
      return 0;
    }
  }
  return 1;
}
