int days_in_month(int year, int month)
{
  if (month < 1 || month > 12) {
    return -1;
  }
  if (month == 4 || month == 6 || month == 9 || month == 11) {
    return 30;
  }
  if (month != 2) {
    return 31;
  }
  if (year % 400 == 0) {
    return 29;
  }
  if (year % 100 == 0) {
    return 28;
  }
  return year % 4 == 0 ? 29 : 28;
}
