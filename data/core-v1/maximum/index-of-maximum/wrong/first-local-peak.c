int index_of_maximum(const int *a, int n)
{
  /*@ loop invariant 0 <= i < n;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] < a[i];
      loop assigns i;
      loop variant n - i;
  */
  for (int i = 0; i < n - 1; i++) {
    if (a[i] >= a[i + 1]) {
      return i;
    }
  }
  return n - 1;
}
