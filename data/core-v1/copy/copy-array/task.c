/*@ requires n >= 0;
    requires \valid_read(from + (0 .. n - 1));
    requires \valid(to + (0 .. n - 1));
    requires \separated(to + (0 .. n - 1), from + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns to[0 .. n - 1];
    ensures \forall integer i; 0 <= i < n ==> to[i] == from[i];
*/
void copy_array(int *to, const int *from, int n)
{
  /* TODO */
}
