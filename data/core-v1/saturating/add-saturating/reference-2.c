int add_saturating(int a, int b)
{
  long long sum = (long long)a + b;
  if (sum > INT_MAX) {
    sum = INT_MAX;
  } else if (sum < INT_MIN) {
    sum = INT_MIN;
  }
  return (int)sum;
}
