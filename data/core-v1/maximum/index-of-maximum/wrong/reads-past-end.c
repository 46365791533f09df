int index_of_maximum(const int *a, int n)
{
  int best = 0;
  /*@ loop invariant 0 <= best < n && 0 < i;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] <= a[best];
      loop invariant \forall integer k; 0 <= k < best ==> a[k] < a[best];
      loop assigns i, best;
      loop variant n - i;
  */
  for (int i = 1; i <= n; i++) {
    if (a[i] > a[best] && i < n) {
      best = i;
    }
  }
  return best;
}
