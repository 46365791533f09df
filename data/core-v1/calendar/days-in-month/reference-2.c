int days_in_month(int year, int month)
{
  if (month < 1 || month > 12) {
    return 0;
  }
  if (month != 2) {
    int from_august = month > 7 ? 1 : 0;
    return 30 + (month + from_august) % 2;
  }
  int days = 28;
  if (year % 4 == 0) {
    days = 29;
  }
  if (year % 100 == 0) {
    days = year % 400 == 0 ? 29 : 28;
  }
  return days;
}
