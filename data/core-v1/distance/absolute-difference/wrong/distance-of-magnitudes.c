unsigned int absolute_difference(int a, int b)
{
  unsigned int x = a < 0 ? 0u - (unsigned int)a : (unsigned int)a;
  unsigned int y = b < 0 ? 0u - (unsigned int)b : (unsigned int)b;
  return x > y ? x - y : y - x;
}
