void order_pair(int *lo, int *hi)
{
  if (*hi < *lo) {
    int smaller = *hi;
    *hi = *lo;
    *lo = smaller;
  }
}
