int add_saturating(int a, int b)
{
  long long sum = (long long)a + (long long)b;
  if (sum > INT_MAX || sum < INT_MIN) {
    return INT_MAX;
  }
  //@ assert INT_MIN <= sum <= INT_MAX;
  return (int)sum;
}
