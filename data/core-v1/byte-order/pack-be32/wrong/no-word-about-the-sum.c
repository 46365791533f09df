uint32_t pack_be32(const uint8_t *bytes)
{
  uint32_t packed = 0;
  /*@ loop invariant 0 <= i <= 4;
      loop assigns i, packed;
      loop variant 4 - i;
  */
  for (int i = 0; i < 4; i++) {
    packed = packed * 256u + bytes[i];
  }
  return packed;
}
