void order_pair(int *lo, int *hi)
{
  if (*lo > *hi) {
    *lo = *hi;
    *hi = *lo;
  }
  //@ assert *lo <= *hi;
}
