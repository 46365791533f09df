/*@ requires n > 0;
    requires \valid_read(a + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures 0 <= \result < n;
    ensures \forall integer i; 0 <= i < n ==> a[i] <= a[\result];
    ensures \forall integer i; 0 <= i < \result ==> a[i] < a[\result];
*/
int index_of_maximum(const int *a, int n)
{
  /* TODO */
}
