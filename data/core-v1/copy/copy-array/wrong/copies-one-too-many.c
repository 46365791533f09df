void copy_array(int *to, const int *from, int n)
{
  /*@ loop invariant -1 <= i <= n;
      loop invariant \forall integer k; i < k < n ==> to[k] == from[k];
      loop assigns i, to[0 .. n - 1];
      loop variant i + 1;
  */
  for (int i = n; i >= 0; i--) {
    to[i] = from[i];
  }
}
