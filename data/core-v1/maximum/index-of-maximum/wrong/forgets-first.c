int index_of_maximum(const int *a, int n)
{
  int best = 0;
  /*@ loop invariant 0 <= best < i <= n;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] <= a[best];
      loop assigns i, best;
      loop variant n - i;
  */
  for (int i = 1; i < n; i++) {
    if (a[i] > a[best]) {
      best = i;
    }
  }
  return best;
}
