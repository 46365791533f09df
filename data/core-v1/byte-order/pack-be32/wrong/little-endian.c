uint32_t pack_be32(const uint8_t *bytes)
{
  return (uint32_t)bytes[0] + 256u * bytes[1] + 65536u * bytes[2] + 16777216u * bytes[3];
}
