int first_index(const int *a, int n, int value)
{
  int found = -1;
  int left = n;
  /*@ loop invariant 0 <= left <= n;
      loop invariant found == -1 || left <= found < n;
      loop invariant found == -1 ==> \forall integer k; left <= k < n ==> a[k] != value;
      loop invariant found != -1 ==>
        a[found] == value && \forall integer k; left <= k < found ==> a[k] != value;
      loop assigns left, found;
      loop variant left;
  */
  while (left > 0) {
    left--;
    if (a[left] == value) {
      found = left;
    }
  }
  return found;
}
