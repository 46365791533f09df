int is_sorted(const int *a, int n)
{
  int sorted = 1;
  int right = n - 1;
  /*@ loop invariant -1 <= right < n;
      loop invariant n > 0 ==> right >= 0;
      loop invariant sorted == 0 || sorted == 1;
      loop invariant sorted == 1 ==> \forall integer k; right <= k < n - 1 ==> a[k] <= a[k + 1];
      loop invariant sorted == 0 ==> \exists integer k; 0 <= k < n - 1 && a[k] > a[k + 1];
      loop assigns right, sorted;
      loop variant right + 1;
  */
  while (right > 0) {
    if (a[right] < a[right - 1]) {
      sorted = 0;
    }
    right--;
  }
  return sorted;
}
