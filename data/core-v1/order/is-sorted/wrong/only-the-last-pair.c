int is_sorted(const int *a, int n)
{
  int sorted = 1;
  /*@ loop invariant 1 <= i;
      loop invariant sorted == 0 || sorted == 1;
      loop invariant sorted == 1 ==> \forall integer k; 0 <= k < i - 1 ==> a[k] <= a[k + 1];
      loop assigns i, sorted;
      loop variant n - i;
  */
  for (int i = 1; i < n; i++) {
    sorted = a[i - 1] <= a[i];
  }
  return sorted;
}
