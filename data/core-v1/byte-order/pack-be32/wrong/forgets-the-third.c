uint32_t pack_be32(const uint8_t *bytes)
{
  uint32_t high = ((uint32_t)bytes[0] << 8) + bytes[1];
  return (high << 16) + bytes[3];
}
