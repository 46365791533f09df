void fill_value(int *a, int n, int value)
{
  /*@ loop invariant 0 <= i <= n + 1;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] == value;
      loop assigns i, a[0 .. n];
      loop variant n - i;
  */
  for (int i = 0; i <= n; i++) {
    a[i] = value;
  }
}
