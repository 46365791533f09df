#include <stddef.h>

/*@ requires \valid_read(s + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures \forall integer i; 0 <= i < \result ==> s[i] != 0;
    behavior ended:
      assumes \exists integer i; 0 <= i < n && s[i] == 0;
      ensures \result < n;
      ensures s[\result] == 0;
    behavior open:
      assumes \forall integer i; 0 <= i < n ==> s[i] != 0;
      ensures \result == n;
    complete behaviors;
    disjoint behaviors;
*/
size_t bounded_length(const char *s, size_t n)
{
  /* TODO */
}
