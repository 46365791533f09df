int lower_bound(const int *a, int n, int value)
{
  int low = 0;
  int high = n;
  /*@ loop invariant 0 <= low <= high <= n;
      loop invariant \forall integer k; 0 <= k < low ==> a[k] <= value;
      loop invariant \forall integer k; high <= k < n ==> a[k] > value;
      loop assigns low, high;
      loop variant high - low;
  */
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (a[middle] <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
