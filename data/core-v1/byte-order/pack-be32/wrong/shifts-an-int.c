uint32_t pack_be32(const uint8_t *bytes)
{
  return (uint32_t)((bytes[0] << 24) + (bytes[1] << 16) + (bytes[2] << 8) + bytes[3]);
}
