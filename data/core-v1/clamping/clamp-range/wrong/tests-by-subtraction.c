int clamp_range(int value, int low, int high)
{
  int above_low = value - low;
  int below_high = high - value;
  if (above_low < 0) {
    return low;
  }
  if (below_high < 0) {
    return high;
  }
  return value;
}
