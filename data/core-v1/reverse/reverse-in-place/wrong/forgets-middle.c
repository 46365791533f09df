void reverse_in_place(int *a, int n)
{
  /*@ loop invariant 0 <= i <= n / 2;
      loop invariant \forall integer k; 0 <= k < i ==> a[k] == \at(a[n - 1 - k], Pre);
      loop invariant \forall integer k; n - i <= k < n ==> a[k] == \at(a[n - 1 - k], Pre);
      loop assigns i, a[0 .. n - 1];
      loop variant n / 2 - i;
  */
  for (int i = 0; i < n / 2; i++) {
    int front = a[i];
    a[i] = a[n - 1 - i];
    a[n - 1 - i] = front;
  }
}
