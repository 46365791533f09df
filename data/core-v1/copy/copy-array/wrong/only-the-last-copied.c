void copy_array(int *to, const int *from, int n)
{
  /*@ loop invariant 0 <= i <= n;
      loop invariant i > 0 ==> to[i - 1] == from[i - 1];
      loop assigns i, to[0 .. n - 1];
      loop variant n - i;
  */
  for (int i = 0; i < n; i++) {
    to[i] = from[i];
  }
}
