#ifdef ORACLE
enum { EDGES = 16 };
enum { LOWEST = -2147483647 - 1, HIGHEST = 2147483647 };

static void input(int k)
{
  static const int edges[EDGES][2] = {
    {2000, 2}, {1900, 2}, {2024, 2}, {2023, 2}, {2100, 2}, {2023, 0}, {2023, 13}, {1, 1},
    {4, 12}, {100, 7}, {400, 8}, {HIGHEST, 2}, {HIGHEST, HIGHEST}, {1, LOWEST}, {2024, -1}, {2147483600, 2},
  };
  if (k < EDGES) {
    put("year", edges[k][0]);
    put("month", edges[k][1]);
    return;
  }
  long long year = k % 5 == 0   ? 4 * draw(1, 600)
                   : k % 5 == 1 ? 100 * draw(1, 40)
                   : k % 5 == 2 ? 400 * draw(1, 5000000)
                   : k % 5 == 3 ? draw(1, 2500)
                                : draw(1, HIGHEST);
  long long month;
  switch (draw(0, 9)) {
  case 0:
    month = draw(0, 1) ? draw(13, 20) : draw(-12, 0);
    break;
  case 1:
    month = draw(LOWEST, HIGHEST);
    break;
  case 2:
  case 3:
  case 4:
    month = 2;
    break;
  default:
    month = draw(1, 12);
  }
  put("year", year);
  put("month", month);
}

/* Leap years before the given year. */
static long long leaps_before(long long year)
{
  long long before = year - 1;
  return before / 4 - before / 100 + before / 400;
}

static void check(void)
{
  static const int starts[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  long long year = in("year"), month = in("month"), result = out("result");
  if (month < 1 || month > 12) {
    expect(result == 0, "no_month: \\result == 0");
    return;
  }
  long long days = starts[month] - starts[month - 1];
  if (month != 2) {
    expect(result == days, days == 31 ? "long_month: \\result == 31" : "short_month: \\result == 30");
    return;
  }
  if (leaps_before(year + 1) > leaps_before(year))
    expect(result == 29, "february_of_leap_year: \\result == 29");
  else
    expect(result == 28, "february_of_common_year: \\result == 28");
}
#endif

static void call(void)
{
  put("result", days_in_month((int)in("year"), (int)in("month")));
}
