void reverse_in_place(int *a, int n)
{
  int low = 0;
  int high = n - 1;
  /*@ loop invariant 0 <= low && high < n;
      loop invariant low + high == n - 1;
      loop invariant \forall integer k; 0 <= k < low ==> a[k] == \at(a[n - 1 - k], Pre);
      loop invariant \forall integer k; high < k < n ==> a[k] == \at(a[n - 1 - k], Pre);
      loop invariant \forall integer k; low <= k <= high ==> a[k] == \at(a[k], Pre);
      loop assigns low, high, a[0 .. n - 1];
      loop variant high - low;
  */
  while (low != high) {
    int front = a[low];
    a[low] = a[high];
    a[high] = front;
    low++;
    high--;
  }
}
