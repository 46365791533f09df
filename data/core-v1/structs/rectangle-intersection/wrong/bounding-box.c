int rectangle_intersection(const struct rectangle *a, const struct rectangle *b,
                           struct rectangle *common)
{
  if (a->left >= b->right || b->left >= a->right || a->top >= b->bottom || b->top >= a->bottom) {
    return 0;
  }
  common->left = a->left < b->left ? a->left : b->left;
  common->top = a->top < b->top ? a->top : b->top;
  common->right = a->right > b->right ? a->right : b->right;
  common->bottom = a->bottom > b->bottom ? a->bottom : b->bottom;
  return 1;
}
