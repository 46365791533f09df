int clamp_range(int value, int low, int high)
{
  int raised = low > value ? low : value;
  return raised < high ? raised : high;
}
