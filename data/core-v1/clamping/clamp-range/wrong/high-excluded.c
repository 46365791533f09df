int clamp_range(int value, int low, int high)
{
  if (value < low) {
    return low;
  }
  if (value >= high && high > low) {
    return high - 1;
  }
  return value;
}
