int rectangle_intersection(const struct rectangle *a, const struct rectangle *b,
                           struct rectangle *common)
{
  /* Does b begin inside a, in both directions? */
  if (b->left < a->left || b->left >= a->right) {
    return 0;
  }
  if (b->top < a->top || b->top >= a->bottom) {
    return 0;
  }
  common->left = b->left;
  common->top = b->top;
  common->right = a->right < b->right ? a->right : b->right;
  common->bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
  //@ assert common->left < common->right;
  //@ assert common->top < common->bottom;
  return 1;
}
