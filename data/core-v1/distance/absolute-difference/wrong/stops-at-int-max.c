unsigned int absolute_difference(int a, int b)
{
  long long apart = a > b ? (long long)a - b : (long long)b - a;
  if (apart > 2147483647) {
    apart = 2147483647;
  }
  return (unsigned int)apart;
}
