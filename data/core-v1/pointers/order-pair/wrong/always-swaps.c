void order_pair(int *lo, int *hi)
{
  int kept = *lo;
  *lo = *hi;
  *hi = kept;
}
