int days_in_month(int year, int month)
{
  int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (month < 1 || month > 12) {
    return 0;
  }
  if (month == 2) {
    return 28 + leap;
  }
  return month % 2 == 1 ? 31 : 30;
}
