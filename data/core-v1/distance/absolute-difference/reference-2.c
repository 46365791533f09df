unsigned int absolute_difference(int a, int b)
{
  int low = a < b ? a : b;
  int high = a < b ? b : a;
  if (low >= 0 || high < 0) {
    return (unsigned int)(high - low);
  }
  /* Zero lies between the two: -low itself may not fit an int. */
  unsigned int below_zero = (unsigned int)(-(low + 1)) + 1u;
  return (unsigned int)high + below_zero;
}
