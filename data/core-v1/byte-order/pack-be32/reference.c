uint32_t pack_be32(const uint8_t *bytes)
{
  uint32_t high = (uint32_t)bytes[0] * 256u + bytes[1];
  uint32_t low = (uint32_t)bytes[2] * 256u + bytes[3];
  return high * 65536u + low;
}
