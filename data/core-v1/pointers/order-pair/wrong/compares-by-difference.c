void order_pair(int *lo, int *hi)
{
  int ahead = *lo - *hi;
  if (ahead > 0) {
    int kept = *lo;
    *lo = *hi;
    *hi = kept;
  }
}
