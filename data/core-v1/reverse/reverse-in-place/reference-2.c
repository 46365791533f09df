void reverse_in_place(int *a, int n)
{
  int low = 0;
  int high = n;
  /*@ loop invariant 0 <= low <= high + 1 && high <= n;
      loop invariant low + high == n;
      loop invariant \forall integer k; 0 <= k < low ==> a[k] == \at(a[n - 1 - k], Pre);
      loop invariant \forall integer k; high <= k < n ==> a[k] == \at(a[n - 1 - k], Pre);
      loop invariant \forall integer k; low <= k < high ==> a[k] == \at(a[k], Pre);
      loop assigns low, high, a[0 .. n - 1];
      loop variant high - low + 1;
  */
  while (low < high) {
    high--;
    int back = a[high];
    a[high] = a[low];
    a[low] = back;
    low++;
  }
}
