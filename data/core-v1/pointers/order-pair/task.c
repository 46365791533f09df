/*@ requires \valid(lo);
    requires \valid(hi);
    requires \separated(lo, hi);
    terminates \true;
    exits \false;
    assigns *lo, *hi;
    ensures *lo <= *hi;
    ensures (*lo == \old(*lo) && *hi == \old(*hi)) || (*lo == \old(*hi) && *hi == \old(*lo));
*/
void order_pair(int *lo, int *hi)
{
  /* TODO */
}
