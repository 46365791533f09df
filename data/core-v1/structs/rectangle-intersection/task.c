struct rectangle {
  int left;
  int top;
  int right;
  int bottom;
};

/*@ requires \valid_read(a);
    requires \valid_read(b);
    requires \valid(common);
    requires \separated(common, a);
    requires \separated(common, b);
    requires a->left < a->right && a->top < a->bottom;
    requires b->left < b->right && b->top < b->bottom;
    terminates \true;
    exits \false;
    assigns common->left, common->top, common->right, common->bottom;
    behavior overlap:
      assumes a->left < b->right && b->left < a->right;
      assumes a->top < b->bottom && b->top < a->bottom;
      ensures \result == 1;
      ensures common->left == \max(a->left, b->left);
      ensures common->top == \max(a->top, b->top);
      ensures common->right == \min(a->right, b->right);
      ensures common->bottom == \min(a->bottom, b->bottom);
    behavior apart:
      assumes a->left >= b->right || b->left >= a->right
              || a->top >= b->bottom || b->top >= a->bottom;
      assigns \nothing;
      ensures \result == 0;
    complete behaviors;
    disjoint behaviors;
*/
int rectangle_intersection(const struct rectangle *a, const struct rectangle *b,
                           struct rectangle *common)
{
  /* TODO */
}
