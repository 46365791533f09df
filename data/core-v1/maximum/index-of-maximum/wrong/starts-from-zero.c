int index_of_maximum(const int *a, int n)
{
  int best = 0;
  int top = 0;
  /*@ loop invariant 0 <= best < n && 0 <= i <= n;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] <= top;
      loop invariant \forall integer k; 0 <= k < best ==> a[k] < top;
      loop assigns i, best, top;
      loop variant n - i;
  */
  for (int i = 0; i < n; i++) {
    if (a[i] > top) {
      top = a[i];
      best = i;
    }
  }
  return best;
}
