int rectangle_intersection(const struct rectangle *a, const struct rectangle *b,
                           struct rectangle *common)
{
  int left = a->left > b->left ? a->left : b->left;
  int right = a->right < b->right ? a->right : b->right;
  if (left >= right) {
    return 0;
  }
  common->left = left;
  common->top = a->top > b->top ? a->top : b->top;
  common->right = right;
  common->bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
  return 1;
}
