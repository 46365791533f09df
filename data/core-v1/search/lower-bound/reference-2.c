int lower_bound(const int *a, int n, int value)
{
  int first = 0;
  /*@ loop invariant 0 <= first <= n && 0 <= count <= n - first;
      loop invariant \forall integer k; 0 <= k < first ==> a[k] < value;
      loop invariant \forall integer k; first + count <= k < n ==> a[k] >= value;
      loop assigns first, count;
      loop variant count;
  */
  for (int count = n; count > 0;) {
    int half = count / 2;
    if (a[first + half] >= value) {
      count = half;
    } else {
      first = first + half + 1;
      count = count - half - 1;
    }
  }
  return first;
}
