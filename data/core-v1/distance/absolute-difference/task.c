/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures a >= b ==> \result == a - b;
    ensures a < b ==> \result == b - a;
*/
unsigned int absolute_difference(int a, int b)
{
  /* TODO */
}
