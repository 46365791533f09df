#include <stdint.h>

/*@ requires \valid_read(bytes + (0 .. 3));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures \result == 16777216 * bytes[0] + 65536 * bytes[1] + 256 * bytes[2] + bytes[3];
*/
uint32_t pack_be32(const uint8_t *bytes)
{
  /* TODO */
}
