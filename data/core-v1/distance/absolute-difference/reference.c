unsigned int absolute_difference(int a, int b)
{
  if (a >= b) {
    return (unsigned int)((long long)a - b);
  }
  return (unsigned int)((long long)b - a);
}
