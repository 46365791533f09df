int index_of_maximum(const int *a, int n)
{
  int best = n - 1;
  int top = a[n - 1];
  int left = n - 1;
  /*@ loop invariant 0 <= left <= best < n;
      loop invariant top == a[best];
      loop invariant \forall integer k; left <= k < best ==> a[k] < top;
      loop invariant \forall integer k; best <= k < n ==> a[k] <= top;
      loop assigns left, best, top;
      loop variant left;
  */
  while (left > 0) {
    left--;
    if (a[left] >= top) {
      top = a[left];
      best = left;
    }
  }
  return best;
}
