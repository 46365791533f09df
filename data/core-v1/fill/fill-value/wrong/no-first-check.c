void fill_value(int *a, int n, int value)
{
  int i = 0;
  /*@ loop invariant 0 <= i < n;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] == value;
      loop assigns i, a[0 .. n - 1];
      loop variant n - i;
  */
  do {
    a[i] = value;
    i++;
  } while (i < n);
}
