/*@ requires n >= 0;
    requires \valid(a + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns a[0 .. n - 1];
    ensures \forall integer i; 0 <= i < n ==> a[i] == \old(a[n - 1 - i]);
*/
void reverse_in_place(int *a, int n)
{
  /* TODO */
}
