int rectangle_intersection(const struct rectangle *a, const struct rectangle *b,
                           struct rectangle *common)
{
  if (a->right <= b->left || b->right <= a->left) {
    return 0;
  }
  if (a->bottom <= b->top || b->bottom <= a->top) {
    return 0;
  }
  common->left = a->left;
  common->top = a->top;
  common->right = a->right;
  common->bottom = a->bottom;
  if (b->left > common->left) {
    common->left = b->left;
  }
  if (b->top > common->top) {
    common->top = b->top;
  }
  if (b->right < common->right) {
    common->right = b->right;
  }
  if (b->bottom < common->bottom) {
    common->bottom = b->bottom;
  }
  return 1;
}
