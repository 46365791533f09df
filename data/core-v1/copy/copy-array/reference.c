void copy_array(int *to, const int *from, int n)
{
  /*@ loop invariant 0 <= i <= n;
      loop invariant \forall integer k; 0 <= k < i ==> to[k] == from[k];
      loop assigns i, to[0 .. n - 1];
      loop variant n - i;
  */
  for (int i = 0; i < n; i++) {
    to[i] = from[i];
  }
}
