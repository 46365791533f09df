/*@ requires n >= 0;
    requires \valid_read(a + (0 .. n - 1));
    requires \forall integer i, j; 0 <= i < j < n ==> a[i] <= a[j];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures 0 <= \result <= n;
    ensures \forall integer i; 0 <= i < \result ==> a[i] < value;
    ensures \forall integer i; \result <= i < n ==> a[i] >= value;
*/
int lower_bound(const int *a, int n, int value)
{
  /* TODO */
}
