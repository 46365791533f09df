unsigned int absolute_difference(int a, int b)
{
  int apart = a - b;
  return (unsigned int)(apart < 0 ? -apart : apart);
}
