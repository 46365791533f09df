int rectangle_intersection(const struct rectangle *a, const struct rectangle *b,
                           struct rectangle *common)
{
  if (a->right <= b->left || b->right <= a->left) {
    return 0;
  }
  if (a->bottom <= b->top || b->bottom <= a->top) {
    return 0;
  }
  if (a->left > b->left) {
    common->left = a->left;
  } else {
    common->left = b->left;
  }
  if (a->top > b->top) {
    common->top = a->top;
  } else {
    common->top = b->top;
  }
  if (a->right < b->right) {
    common->right = a->right;
  } else {
    common->right = b->right;
  }
  if (a->bottom < b->bottom) {
    common->bottom = a->bottom;
  } else {
    common->bottom = b->bottom;
  }
  return 1;
}
