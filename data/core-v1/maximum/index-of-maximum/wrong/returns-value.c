int index_of_maximum(const int *a, int n)
{
  int top = a[0];
  /*@ loop invariant 1 <= i <= n;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] <= top;
      loop invariant \exists integer k; 0 <= k < n && a[k] == top;
      loop assigns i, top;
      loop variant n - i;
  */
  for (int i = 1; i < n; i++) {
    if (a[i] > top) {
      top = a[i];
    }
  }
  return top;
}
