"""Pointers into different objects are never compared, and members' arrays never left."""

from __future__ import annotations

import pytest

from judgebox.acsl.contract import JudgedText, Refusal, TaskText, check
from judgebox.verdict import Reason

TASK = TaskText.parse(
    """\
#include <stddef.h>
#define NOTHING ((void *)0)
typedef int *link;
typedef int row[4];
typedef char tag[4];
struct rec { char name[4]; int v; };
struct node { int value; struct node *next, *other; tag label; link to; int grid[2][3]; };
struct vec { int *data; size_t n; struct { int in[2]; int deep; } inner; row *rows; };
int total, table[4], wide[2][3];
int *cursor;
row line;

/*@ assigns \\nothing; */
int *find(int *a, int n);

/*@ assigns \\nothing; */
int pure(int v);

/*@ assigns \\nothing; */
int target(int *a, const int *b, char *s, int **pp, int *t[], int m[][3], int n, int x,
           struct rec *r, struct node *c, struct vec *v, link k)
{
  // TODO
}
"""
)
SAME = [
    "const int *p = b; const int *end = b + n; int sum = 0;"
    " while (p < end) { sum += *p; p++; } return sum;",
    "for (int *p = a; p != a + n; ++p) *p = 0; return 0;",
    "for (int *p = a, *end = a + n; p < end; p += 1) *p = 0; return 0;",
    "int *p = a; do { *p = x; p++; } while (p < a + n); return 0;",
    "int *p = a + n; while (p > a) { p--; *p = x; } return 0;",
    "const int *p = b; while (*p != x) p++; return (int)(p - b);",
    "char *start = s; while (*s) s++; return (int)(s - start);",
    "a = a + 1; int *q = a; a++; return a - q;",
    "int *low = a, *high = a + n; while (low < high) { int *mid = low + (high - low) / 2;"
    " if (*mid < x) low = mid + 1; else high = mid; } return low - a;",
    "int k[4] = {0}; int *p = k; while (p < k + 4) *p++ = x; return p - k;",
    "int k[4] = {0}; int *p = &k[1]; return p - &k[0];",
    "int y = 0; int *p = &y; return p == &y;",
    "int *p = &table[1]; return p - table;",
    "int *p; p = a; int *q = p; q++; return q - a;",
    "int *p = {a}; return p == a;",
    "int *p = x ? a : a + 1; return p - a;",
    "return (x ? a : a + 1) >= a;",
    "return (n++, a) == a;",
    "int *p, *q; p = q = a; return p == q;",
    "int *p = a; return (p += 1) - a;",
    'const char *p = "ab"; const char *q = p; while (*p) p++; return p - q;',
    "int *p = a; if (p == NULL) return 0; if (NULL != p) return 1; return 0 == p;",
    "int *p = 0; if (x) p = a; if (p == 0) return 0; return *p;",
    "int *p = NULL; if (x) p = a; return p == a;",
    "if (a == NOTHING || !b) return 0; return 1;",
    "if (c->next == NULL) return 0; c = c->next; while (c) c = c->next; return 1;",
    "return find(a, n) == NULL;",
    "return t[0] != 0 && *pp != NULL && cursor != 0;",
    "int *p = a; { int *p = table; x = p == table; } return p == a;",
    "return a[0] - a[1] < n && *a == *b && s[0] <= 'z';",
    "return c->value == c->next->value && v->n > 1 && v->data[0] < v->data[1];",
    "return total - table[0] == pure(x) - pure(n);",
    "return wide[0][1] == m[1][2] && line[0] < n && **pp == *t[0];",
    "return sizeof(row) == sizeof line;",
    "return &a[n] - a;",
    "return &*a == a;",
    "struct rec q[2] = {{{0}, 0}}; struct rec *p = q; p++; return p - q;",
    "struct rec *p = r; while (p < r + n) p++; return p->v;",
    "return (int)(long)n + (int)pure(3);",
    "return k == k + 1;",
    "int *p = v->data; int *end = p + v->n; while (p < end) { *p = x; p++; } return 0;",
    "const int *d = v->data; for (const int *p = d; p < d + v->n; p++) x += p - d; return x;",
    "int *p = find(a, n); int *q = p + 1; return q - p;",
    "for (int *p = v->data, *end = p + n; p < end; p++) *p = 0; return 0;",
]
APART = [
    "int u=0; int v=0; int *p=&u; int *q=&v; if (p - q == 0) return x+1; return 0;",
    "int y = 0, z = 0; return &y == &z;",
    "int y = 0, z = 0; return &y - &z;",
    "int y = 0, z = 0; int *p = &y, *q = &z; return p < q;",
    "int y = 0, z = 0; int *p = &y, *q = &z; return p >= q;",
    "int y = 0, z = 0; int *p = &y, *q = &z; return p > q || p <= q;",
    "int y = 0, z = 0; int *p = &y, *q = &z; return p != q;",
    "return a == b;",
    "return a - b;",
    "return a < k;",
    "b = a; return a == b;",
    "int *p = a; p = table; return p == a;",
    "int *p = a; int i = p == a; p = table; return i;",
    "int *p = a; for (; n > 0; n--) { x = p - a; p = table; } return x;",
    "int *p = x ? a : table; return p - a;",
    "return (x ? a : table) == a;",
    "int y = 0; return (0, &y) == a;",
    "int *p = a, *q; q = p = table; return q == a;",
    "int *p = a, y = 0; int *q = (p = &y); return q - a;",
    "int *p = a; { int *p = table; x = p == a; } return x;",
    "int *p = a; { int k2[2] = {0}; p = k2; } return p - a;",
    "int y = 0; { int *z = &y; int y = 1; return z == &y; }",
    "int *p = a; int **q = &p; *q = table; return p == a;",
    "int *p = a; *&p = table; return p == a;",
    "int *p = {table}; return p == a;",
    "int *p = table; return p + 1 == wide[0];",
    "return find(a, n) - a;",
    "return find(a, n) == find(a, n);",
    "return cursor == table;",
    "return cursor - cursor;",
    "return *pp == a;",
    "return pp[0] - pp[1];",
    "return t[0] - t[1];",
    "int *g[2] = {a, table}; return g[0] - g[1];",
    "link g[2] = {a, table}; return g[0] == g[1];",
    "return c->next == c->other;",
    "return c->to - a;",
    "return v->data == a;",
    "int *p = v->data; return p == v->data;",
    "int *p = v->data; return p == a;",
    "int *p = v->data; int *q = v->data; return p == q;",
    "int *p = v->data; int *q = p; p = find(a, n); return p == q;",
    "int *p; p = v->data; int *q = p; return p == q;",
    "int *q = a; while (x--) { int *p = t[x]; q = p; int *z = p; if (q == z) n++; } return n;",
    "int *q = 0; do { int *p = c->to; if (q != p) n++; q = p; c = c->next; } while (c); return n;",
    "struct node q = *c; return q.next == c;",
    "return m[0] - m[1];",
    "return *m == *(m + 1);",
    'return "ab" == "ab";',
    'const char *p = "ab"; const char *q = "ab"; return p - q;',
    "int *p = 0; if (x) p = a; return p - a;",
    "int *p = NULL; if (x) p = a; return p < a;",
    "int *p = 0; return p - a;",
    "return a - NULL;",
    "return a == NULL + 1;",
    "return a < NULL;",
    "n -= a; return n;",
    "int *p = a; p -= b; return 0;",
    "return *&a == a;",
    "return a > 0;",
    "return a == 5;",
    "return a == n;",
    "int *p = 0, *q = 0; return p == q;",
    "struct rec y, *p = &y; return p == r;",
    "return &total - &table[0];",
    "return line == table;",
    "return &a[0] == &b[0];",
    "return &b[n] - a;",
    "return (a = (int *)0) == k;",
    "int y = 0; switch (&y - a) { case 0: return 1; } return 0;",
    "int y = 0; int *p = &y; while (p != a) p++; return 1;",
    "int y[2] = {0}; int z[2] = {0}; return y == z;",
    # pointers made integers
    "return (unsigned long)(0, a);",
    "return (int)(unsigned long)t[0];",
    "int *g[1] = {a}; return (unsigned long)g[0];",
    "return (long)*pp;",
    "return (long)c->next;",
    "return (long)find(a, n);",
    "return (long)wide[0];",
    "return (long)line;",
    "return (long)(x ? a : 0);",
    "return (long)(a = k);",
    "return (long)k;",
]
INDEXED = [
    "r->name[0] = 'a'; return r->name[x];",
    "struct rec q = {{0}, 0}; q.name[1] = 'b'; q.v = x; return q.name[1];",
    "return sizeof r->name / sizeof(r->name[0]) + sizeof(r->name);",
    "return r[1].name[2] + c->grid[1][2] + v->inner.in[1] + c->label[0];",
    "c->next->label[0]++; return -c->next->grid[0][0];",
    "struct rec *p = &r[1]; p = r + 1; return p->v;",
    "struct rec q = {{0}, 0}; struct rec *p = &q; p->v = x + 1; return p->v;",
    "int *p = &v->data[1]; *p = 1; return *&v->data[0];",
    "int *p = v->data; p[1] = 2; return (v->data)[0] + *v->data;",
    "int *p = &*c->to; return *p;",
    "v->inner.deep = 1; return v->rows[0][1];",
    "struct node **q = pp ? 0 : 0; q = 0; return !q;",
]
DECAYED = [
    "struct rec r = {{0},0}; r.v = x+1; char *p = r.name; p[4] = 77; return r.v;",
    "char *p = r->name; return *p;",
    "char *p = r->name + 1; return *p;",
    "return *r->name;",
    "return *(r->name + x);",
    "return x[r->name];",
    "return (r->name)[0];",
    "char *p; p = (r->name); return *p;",
    "char *p = x ? s : r->name; return *p;",
    "char *p = (0, r->name); return *p;",
    "char *p = &r->name[0]; return *p;",
    "char *p = &(r->name[0]); return *p;",
    "int *p = &r->v; return *p;",
    "struct rec q = {{0}, 0}; int *p = &q.v; return *p;",
    "struct rec q = {{0}, 0}; return (&q.name)[0][4];",
    "int *p = &r[1].v; return *p;",
    "int *p = &(*r).v; return *p;",
    "int *p = &v->inner.deep; return *p;",
    "int *p = v->inner.in; return *p;",
    "int *p = c->grid[1]; return *p;",
    "return c->grid[0][3 + x] + *c->grid[1];",
    "int *p = &c->grid[1][0]; return *p;",
    "char *p = c->label; return *p;",
    "int **q = &v->data; return **q;",
    "struct node **q = &c->next; return (*q)->value;",
    "return find(v->inner.in, n) == 0;",
    "return r->name == 0;",
    "if (r->name) return 1; return 0;",
    "return r->other_member;",
]
TYPES = ["row y = {0}; return y[0];", "row *p = 0; return !p;",
         "tag y = {0}; char *p = y; return *p;"]  # fmt: skip


@pytest.mark.parametrize("body", [*SAME, *INDEXED])
def test_accepted(body: str) -> None:
    result = check(TASK, body)
    assert isinstance(result, JudgedText), result


def refused(body: str) -> str:
    result = check(TASK, body)
    assert isinstance(result, Refusal), result
    assert result.reason is Reason.FORBIDDEN_CONSTRUCT, result
    assert "\n" not in result.message
    return result.message


@pytest.mark.parametrize("body", APART)
def test_pointers_apart(body: str) -> None:
    assert "pointer" in refused(body)


@pytest.mark.parametrize("body", DECAYED)
def test_members_stay_inside(body: str) -> None:
    assert "member" in refused(body)


@pytest.mark.parametrize("body", TYPES)
def test_array_types_hide_arrays(body: str) -> None:
    assert "array type" in refused(body)


def test_the_message_says_what_to_do() -> None:
    assert "use an index instead" in refused("return a - b;")


@pytest.mark.parametrize(
    ("contract", "more"),
    [
        ("ensures \\result == 7 || \\result == 0x1fu;", ("7", "0x1fu")),
        ("ensures \\result == 7 + 7 + 1 + 0;", ("7",)),
        ("ensures \\result == -7 || \\result == x - 9;", ("-7", "9")),
        ("requires x < INT_MAX - 1; ensures \\result >= LIMIT;", ("INT_MAX", "LIMIT")),
        ("ensures \\result == BLUE || \\result == ODD || \\result == HIGH;", ("BLUE", "HIGH")),
        ("ensures \\result == 1.5 || \\result == LENGTH(2) || \\result == OTHER_MAX;", ("2",)),
        ("ensures \\result != " + " + ".join(map(str, range(2, 20))) + ";",
         tuple(map(str, range(2, 10)))),
    ],
)  # fmt: skip
def test_stubs_hold_the_constants_of_the_contract(contract: str, more: tuple[str, ...]) -> None:
    source = (
        "#include <limits.h>\n#define LIMIT (3 * 4)\n#define HIGH (INT_MAX - LIMIT)\n"
        "#define ODD x\n#define LENGTH(k) (k)\nenum color { RED, BLUE };\n"
        f"/*@ {contract} */\nint target(int x) {{ /* TODO */ }}\n"
    )
    wanted = ("0", "1", "-1", "x", *more)
    assert TaskText.parse(source).stubs() == tuple(f" return {one}; " for one in wanted)
