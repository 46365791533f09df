int days_in_month(int year, int month)
{
  if (month < 1 || month > 12) {
    return 0;
  }
  if (month == 2) {
    return year % 4 == 0 ? 29 : 28;
  }
  if (month == 4 || month == 6 || month == 9 || month == 11) {
    return 30;
  }
  return 31;
}
