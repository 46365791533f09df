/*@ requires low <= high;
    terminates \true;
    exits \false;
    assigns \nothing;
    behavior below:
      assumes value < low;
      ensures \result == low;
    behavior inside:
      assumes low <= value <= high;
      ensures \result == value;
    behavior above:
      assumes value > high;
      ensures \result == high;
    complete behaviors;
    disjoint behaviors;
*/
int clamp_range(int value, int low, int high)
{
  /* TODO */
}
