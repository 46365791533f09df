void order_pair(int *lo, int *hi)
{
  int first = *lo;
  int second = *hi;
  *lo = first < second ? first : second;
  *hi = first < second ? second : first;
}
