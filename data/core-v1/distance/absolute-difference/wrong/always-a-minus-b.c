unsigned int absolute_difference(int a, int b)
{
  return (unsigned int)a - (unsigned int)b;
}
