int add_saturating(int a, int b)
{
  int sum = a + b;
  if (a > 0 && b > 0 && sum < 0) {
    return INT_MAX;
  }
  if (a < 0 && b < 0 && sum >= 0) {
    return INT_MIN;
  }
  return sum;
}
