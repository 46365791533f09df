uint32_t pack_be32(const uint8_t *bytes)
{
  uint32_t packed = 0;
  /*@ loop invariant 1 <= i <= 5;
      loop assigns i, packed;
      loop variant 5 - i;
  */
  for (int i = 1; i <= 4; i++) {
    packed = packed * 256u + bytes[i];
  }
  return packed;
}
