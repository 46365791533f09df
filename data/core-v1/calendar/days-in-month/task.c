/*@ requires year >= 1;
    terminates \true;
    exits \false;
    assigns \nothing;
    behavior no_month:
      assumes month < 1 || month > 12;
      ensures \result == 0;
    behavior long_month:
      assumes month == 1 || month == 3 || month == 5 || month == 7 || month == 8
              || month == 10 || month == 12;
      ensures \result == 31;
    behavior short_month:
      assumes month == 4 || month == 6 || month == 9 || month == 11;
      ensures \result == 30;
    behavior february_of_leap_year:
      assumes month == 2;
      assumes (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
      ensures \result == 29;
    behavior february_of_common_year:
      assumes month == 2;
      assumes year % 4 != 0 || (year % 100 == 0 && year % 400 != 0);
      ensures \result == 28;
    complete behaviors;
    disjoint behaviors;
*/
int days_in_month(int year, int month)
{
  /* TODO */
}
