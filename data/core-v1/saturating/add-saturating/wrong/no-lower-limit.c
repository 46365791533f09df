int add_saturating(int a, int b)
{
  if (a > 0 && b > 0) {
    return a > INT_MAX - b ? INT_MAX : a + b;
  }
  return a + b;
}
