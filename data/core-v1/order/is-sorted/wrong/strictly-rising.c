int is_sorted(const int *a, int n)
{
  /*@ loop invariant 0 <= i;
      loop invariant n > 0 ==> i < n;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] <= a[k + 1];
      loop assigns i;
      loop variant n - i;
  */
  for (int i = 0; i < n - 1; i++) {
    if (a[i] >= a[i + 1]) {
      return 0;
    }
  }
  return 1;
}
