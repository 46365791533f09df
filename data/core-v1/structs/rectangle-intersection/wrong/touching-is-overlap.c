int rectangle_intersection(const struct rectangle *a, const struct rectangle *b,
                           struct rectangle *common)
{
  int left = a->left > b->left ? a->left : b->left;
  int top = a->top > b->top ? a->top : b->top;
  int right = a->right < b->right ? a->right : b->right;
  int bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
  if (left > right || top > bottom) {
    return 0;
  }
  common->left = left;
  common->top = top;
  common->right = right;
  common->bottom = bottom;
  return 1;
}
