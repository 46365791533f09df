int clamp_range(int value, int low, int high)
{
  if (value > high) {
    value = high;
  }
  //@ assert value <= high;
  return value;
}
