void fill_value(int *a, int n, int value)
{
  int left = n;
  /*@ loop invariant 0 <= left <= n;
      loop invariant \forall integer k; left <= k < n ==> a[k] == value;
      loop assigns left, a[0 .. n - 1];
      loop variant left;
  */
  while (left > 0) {
    left--;
    a[left] = value;
  }
}
