#include <limits.h>

/*@ terminates \true;
    exits \false;
    assigns \nothing;
    behavior fits:
      assumes INT_MIN <= a + b <= INT_MAX;
      ensures \result == a + b;
    behavior too_large:
      assumes a + b > INT_MAX;
      ensures \result == INT_MAX;
    behavior too_small:
      assumes a + b < INT_MIN;
      ensures \result == INT_MIN;
    complete behaviors;
    disjoint behaviors;
*/
int add_saturating(int a, int b)
{
  /* TODO */
}
