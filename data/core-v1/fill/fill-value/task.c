/*@ requires n >= 0;
    requires \valid(a + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns a[0 .. n - 1];
    ensures \forall integer i; 0 <= i < n ==> a[i] == value;
*/
void fill_value(int *a, int n, int value)
{
  /* TODO */
}
