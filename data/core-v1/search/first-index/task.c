/*@ requires n >= 0;
    requires \valid_read(a + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns \nothing;
    behavior present:
      assumes \exists integer i; 0 <= i < n && a[i] == value;
      ensures 0 <= \result < n;
      ensures a[\result] == value;
      ensures \forall integer i; 0 <= i < \result ==> a[i] != value;
    behavior absent:
      assumes \forall integer i; 0 <= i < n ==> a[i] != value;
      ensures \result == -1;
    complete behaviors;
    disjoint behaviors;
*/
int first_index(const int *a, int n, int value)
{
  /* TODO */
}
