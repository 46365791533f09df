void copy_array(int *to, const int *from, int n)
{
  int i = n - 1;
  /*@ loop invariant -1 <= i < n;
      loop invariant \forall integer k; i < k < n ==> to[k] == from[k];
      loop assigns i, to[0 .. n - 1];
      loop variant i + 1;
  */
  while (i >= 0) {
    int item = from[i];
    to[i] = item;
    i = i - 1;
  }
}
