uint32_t pack_be32(const uint8_t *bytes)
{
  uint32_t packed = bytes[0];
  packed = (packed << 8) + bytes[1];
  packed = (packed << 8) + bytes[2];
  packed = (packed << 7) + bytes[3];
  return packed;
}
