#include <stddef.h>

/*@ logic integer low_sum{L}(unsigned char *data, integer n) =
      n <= 0 ? 1 : low_sum(data, n - 1) + data[n - 1];
    logic integer high_sum{L}(unsigned char *data, integer n) =
      n <= 0 ? 0 : high_sum(data, n - 1) + low_sum(data, n);
*/

/*@ requires \valid_read(data + (0 .. n - 1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures \result == (high_sum(data, n) % 65521) * 65536 + low_sum(data, n) % 65521;
*/
unsigned int checksum(const unsigned char *data, size_t n)
{
  /* TODO */
}
