void reverse_in_place(int *a, int n)
{
  if (n > 1) {
    int front = a[0];
    a[0] = a[n - 1];
    a[n - 1] = front;
  }
}
