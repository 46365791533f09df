void order_pair(int *lo, int *hi)
{
  int x = *lo;
  int y = *hi;
  if (x < y) {
    *lo = y;
    *hi = x;
  }
}
