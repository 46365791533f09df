uint32_t pack_be32(const uint8_t *bytes)
{
  uint32_t packed = 0;
  /*@ loop invariant 0 <= i <= 4;
      loop invariant i == 0 ==> packed == 0;
      loop invariant i == 1 ==> packed == bytes[0];
      loop invariant i == 2 ==> packed == 256 * bytes[0] + bytes[1];
      loop invariant i == 3 ==> packed == 65536 * bytes[0] + 256 * bytes[1] + bytes[2];
      loop invariant i == 4 ==>
        packed == 16777216 * bytes[0] + 65536 * bytes[1] + 256 * bytes[2] + bytes[3];
      loop assigns i, packed;
      loop variant 4 - i;
  */
  for (int i = 0; i < 4; i++) {
    packed = packed * 256u + bytes[i];
  }
  return packed;
}
