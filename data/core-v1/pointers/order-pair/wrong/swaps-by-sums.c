void order_pair(int *lo, int *hi)
{
  if (*lo > *hi) {
    *lo = *lo + *hi;
    *hi = *lo - *hi;
    *lo = *lo - *hi;
  }
}
