/*@ requires n >= 0;
    requires \valid_read(a + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns \nothing;
    behavior sorted:
      assumes \forall integer i; 0 <= i < n - 1 ==> a[i] <= a[i + 1];
      ensures \result == 1;
    behavior unsorted:
      assumes \exists integer i; 0 <= i < n - 1 && a[i] > a[i + 1];
      ensures \result == 0;
    complete behaviors;
    disjoint behaviors;
*/
int is_sorted(const int *a, int n)
{
  /* TODO */
}
