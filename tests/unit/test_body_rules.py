"""Every rule of a body: what it must accept and what it must refuse (cases/prove.md and more)."""

from __future__ import annotations

import pytest

from judgebox.acsl.contract import JudgedText, Refusal, TaskText, check
from judgebox.verdict import Reason

SIMPLE = TaskText.parse(
    "/*@ requires -1000 <= x <= 1000; assigns \\nothing; ensures \\result == x + 1; */\n"
    "int target(int x) { /* TODO */ }\n"
)
TASK = TaskText.parse(
    """\
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#define N 10
#define SUM 1 + 1
#define BIT(k) (1 << (k))
#define TWICE(v) ((v) + (v))
#define SWAP(a, b) do { int t_ = (a); (a) = (b); (b) = t_; } while (0)
typedef struct point { int x, y; } point;
struct cell { int value; struct cell *next; };
typedef unsigned int u32;
enum color { RED, GREEN = 3 };
int total, table[4];

/*@ assigns \\nothing; */
int pure(int v);

/*@ assigns total; */
int count(int v);

/*@ requires n >= 0; assigns a[0 .. n - 1], total; */
int target(int *a, const int *src, int n, point *p, u32 mask, struct cell *c)
{
  // TODO
}
"""
)
RECURSIVE = TaskText.parse(
    "/*@ requires n >= 0; decreases n; assigns \\nothing; */\nint target(int n) { /* TODO */ }"
)
FLOATS = TaskText.parse("/*@ ensures 1; */\ndouble target(double d) { /* TODO */ }")
VOID = TaskText.parse("/*@ assigns \\nothing; */\nint target(void *v, int n) { /* TODO */ }")
FLAGS = Reason.FORBIDDEN_CONSTRUCT
NOTE = Reason.FORBIDDEN_ANNOTATION
CALL = Reason.FORBIDDEN_CALL
SYNTAX = Reason.COMPILE_ERROR
LOOP = "/*@ loop invariant 0 <= i <= n; loop assigns i; loop variant n - i; */ "

ACCEPTED = [
    ("A comments", "return x + 1; // admit\r\n\t/* admit; goto */", SIMPLE),
    ("C", "const int k = 1; int r = x; if (x > 0) { r += k; } else r = x > -5 ? x + 1 : k + x;"
          " return r;", SIMPLE),
    ("C early return", "if (x < 0) return x + 1; else if (x == 0) return 1; return x + 1;", SIMPLE),
    ("D casts", "unsigned u = (unsigned)x; return (int)(u + 1u) + (int)sizeof(int) - 4;", SIMPLE),
    ("D digraphs", "int a<:2:> = <% 1, 2 %>; return a<:0:> + x;", SIMPLE),
    ("F", "//@ assert x + 1 > x;\nreturn x + 1;", SIMPLE),
    ("G dead code", "return x + 1; x = 0; switch (x) { case 0: break; default: x = 2; }", SIMPLE),
    ("H",
     "int i; for (i = 0; i < 3; i++) { } int r; if (x > 0) r = 1; else r = 2; return r;", SIMPLE),
    ("empty statement", ";", SIMPLE),
    ("B for", LOOP + "for (int i = 0; i < n; i++) a[i] = 0; return 0;", TASK),
    ("B while", "int i = 0; " + LOOP + "while (i < n) { a[i] = 0; ++i; } return 0;", TASK),
    ("B do", "int i = 0; " + LOOP + "do { a[i] = 0; i += 1; } while (i < n); return 0;", TASK),
    ("B one loop without braces",
     "if (n > 0) " + LOOP + "for (int i = 0; i < n; i++) a[i] = 0;", TASK),
    ("break and continue", "for (int i = 0; i < n; i++) { if (a[i]) continue; break; }", TASK),
    ("I helpers", "return pure(pure(n) + pure(1)) + 1;", TASK),
    ("pure helpers side by side", "return pure(n) + pure(1);", TASK),
    ("an impure helper alone", "total = count(n); a[0] = count(1); return count(2);", TASK),
    ("impure in a condition", "while (count(n) > 0) { n--; }", TASK),
    ("structs", "point q = {1, .y = 2}; p->x = q.x; *p = q; (*p).y = 1; struct cell *d = c->next;"
                " return d->value + p[0].x;", TASK),
    ("compound literal", "*p = (point){1, 2}; return 0;", TASK),
    ("pointers", "int *q = a + 1; const int *e = src; *q++ = *e++; return q - a;", TASK),
    ("indices step",
     "int i = 0, j = 0; a[i++] = src[j++]; a[i] = a[i] + 1; a[i]++; return i;", TASK),
    ("sequenced", "int i = 0; i++, i++; if (i++ && i++) n = i ? i++ : i--; return i;", TASK),
    ("chained", "int i, j; i = j = 0; i += j; return i = i + 1;", TASK),
    ("macros", "int k[N]; k[0] = BIT(3) + TWICE(n) + SUM; SWAP(a[0], n); return INT_MAX;", TASK),
    ("constants", "int big = -2147483647 - 1; long l = 2147483648; unsigned u = 0u - 1u;"
                  " uint32_t v = 1u << 31; return 'a' + '\\n' + 0x7ff + 010 + (INT_MIN + 1);",
                  TASK),
    ("enumerators",
     "switch (n) { case RED: return 1; case GREEN: { int k = 1; return k; } }", TASK),
    ("string", 'const char s[] = "a\\n\\"b" "c"; return s[0];', TASK),
    ("array of constants", "int k[2 * N + 1] = {0}; return k[0];", TASK),
    ("nested locals may hide locals", "int k = 0; { int k = 1; n = k; } return k;", TASK),
    ("a member may be called as anything",
     "struct cell d = {1, 0}; d.next = c; return d.value;", TASK),
    ("types of the task",
     "u32 m = mask >> 1; int64_t w = (int64_t)m; size_t z = sizeof m; return w;", TASK),
    ("a tag is no name", "struct cell *cell = c; return cell->value;", TASK),
    ("void cast", "(void)n; return 0;", TASK),
    ("null pointer", "int *q = 0; if (!q) q = a; return *q;", TASK),
    ("recursion with decreases", "return n > 0 ? target(n - 1) + 1 : 0;", RECURSIVE),
    ("floats", "double h = 0.5; float f = 1.5e3f; return d * h + 2. + .5 + f;", FLOATS),
    ("void pointers of the task", "char *b = v; void *w = v; return *b;", VOID),
    ("long else-if chain", "if (x == 0) return 1; " + "else if (x == 1) return 2; " * 60
                           + "return x + 1;", SIMPLE),
    ("long sum", "return " + "x + " * 1500 + "1;", SIMPLE),
    ("quantifiers and let",
     "//@ assert \\forall integer k; \\let v = k; v == k;\nreturn x + 1;", SIMPLE),
    ("behaviours",
     "//@ for b, c: assert x > 0;\n/*@ for b: loop invariant 1; */ while (x) x--;", SIMPLE),
    ("named assertion", "//@ assert small: x < 2000;\nreturn x + 1;", SIMPLE),
    ("unicode", "//@ assert ∀ ℤ k; k ≤ k ∧ x ≢ 1001;\nreturn x + 1;", SIMPLE),
    ("sets", "//@ assert \\separated(a + (0..n-1), p) && {1, 2} == {1, 2};\nreturn 0;", TASK),
    ("an assertion as a branch",
     "if (x > 0)\n //@ assert x > 0;\n return x + 1;\nreturn x + 1;", SIMPLE),
    ("an assertion at a block's end", "{ x = 1; //@ assert x == 1;\n}", SIMPLE),
    ("from", "/*@ loop assigns a[0..n] \\from n; loop variant n; */ while (n > 0) n--;", TASK),
]  # fmt: skip

REFUSED = [
    ("2", "return target(x);", Reason.RECURSION, SIMPLE),
    ("3", "/*@ ensures \\false; */ extern int target(int x); return target(x);", NOTE, SIMPLE),
    ("3 static", "static int target(int x); return target(x);", FLAGS, SIMPLE),
    ("3 plain", "int target(int x); return target(x);", FLAGS, SIMPLE),
    ("3 contract only", "/*@ ensures \\false; */ { } return 0;", NOTE, SIMPLE),
    ("4", "//@ admit \\false;\nreturn 0;", NOTE, SIMPLE),
    ("5", "int r = 0; //@ admit r == x + 1;\nreturn r;", NOTE, SIMPLE),
    ("6", "/\\\n/@ admit \\false;\nreturn 0;", NOTE, SIMPLE),
    ("6 trigraph", "/??/\n/@ ad??/\nmit \\false;\nreturn 0;", NOTE, SIMPLE),
    ("7", "#define A admit\n//@ A \\false;\nreturn 0;", FLAGS, SIMPLE),
    ("7 digraph", "\n%:define A admit\nreturn 0;", FLAGS, SIMPLE),
    ("7 trigraph", "\n??=define A admit\nreturn 0;", FLAGS, SIMPLE),
    ("7 pragma", '_Pragma("x") return 0;', FLAGS, SIMPLE),
    ("7 in an annotation", "/*@ assert\n#define A admit\n 1; */ return 0;", NOTE, SIMPLE),
    ("7 digraph in an annotation", "/*@ assert\n%:define A admit\n 1; */ return 0;", NOTE, SIMPLE),
    ("8", "int i = 0; /*@ admit loop invariant \\false; loop assigns i; */ while (i < 10) i++;",
     NOTE, SIMPLE),
    ("8 check", "/*@ check loop invariant 1; */ while (x) x--;", NOTE, SIMPLE),
    ("10", "union { int i; char c[4]; } u; u.i = x + 1; u.c[0] = 0; return u.i;", FLAGS, SIMPLE),
    ("11", "int y = 2147483647 + 1; return x + 1;", FLAGS, SIMPLE),
    ("13 call", "return magic(x);", CALL, SIMPLE),
    ("15", "#define return while(1);return\nreturn 0;", FLAGS, SIMPLE),
    ("16", "L: if (x < 2000) goto L; return 0;", FLAGS, SIMPLE),
    ("16 label", "L: return 0;", FLAGS, SIMPLE),
    ("17", 'int r; asm("movl %1, %0" : "=m"(r) : "r"(x)); return r;', FLAGS, SIMPLE),
    ("17 reserved", '__asm__("" ::: "memory"); return 0;', FLAGS, SIMPLE),
    ("18", "int helper(int y); return helper(x);", FLAGS, SIMPLE),
    ("18 extern", "extern int helper(int y); return helper(x);", FLAGS, SIMPLE),
    ("18 pointer", "int (*f)(int) = 0; return f(x);", FLAGS, SIMPLE),
    ("18 nested", "{ int helper(int y) { return y; } return helper(x); }", FLAGS, SIMPLE),
    ("24", "#warning all proved\nreturn x;", FLAGS, SIMPLE),
    ("25", "//@ ghost int g = 0;\nreturn x;", NOTE, SIMPLE),
    ("29",
     "/*@ loop assigns \\nothing; loop variant 1 for \\subset; */ while (1) {}", NOTE, SIMPLE),
    ("30", "struct { int b : 1; } s; s.b = 1; return s.b;", FLAGS, SIMPLE),
    ("30 named", "struct s { int b; } s; return 0;", FLAGS, SIMPLE),
    ("30 another's", "struct cell { int b; } s; return 0;", FLAGS, TASK),
    ("31", "#ifdef __FRAMAC__\nreturn x + 1;\n#endif\nreturn 0;", FLAGS, SIMPLE),
    ("31 name", "return __FRAMAC__ ? 1 : 2;", FLAGS, SIMPLE),
    ("31 builtin", "return __builtin_constant_p(x);", FLAGS, SIMPLE),
    ("31 library macro", "return RAND_MAX > 32767;", FLAGS, SIMPLE),
    ("31 predefined", "return linux;", FLAGS, SIMPLE),
    ("31 in an annotation", "//@ assert x == __LINE__;\nreturn x;", NOTE, SIMPLE),
    ("31 func", "return __func__[0];", FLAGS, SIMPLE),
    ("32", "int i = 0; a[i++] = src[n - i]; return 0;", FLAGS, TASK),
    ("32 twice", "int i = 0; i = i++; return i;", FLAGS, TASK),
    ("32 sum", "return n++ + n;", FLAGS, TASK),
    ("32 arguments", "return pure(n++) + n;", FLAGS, TASK),
    ("32 macro", "return TWICE(n++);", FLAGS, TASK),
    ("32 memory", "a[0] = a[1]++; return 0;", FLAGS, TASK),
    ("32 through a pointer", "int y = 0, *q = &y; return y + (*q)++;", FLAGS, TASK),
    ("32 pointer step", "int *q = a; *q = *q++; return 0;", FLAGS, TASK),
    ("32 initialiser list", "int i = 0; int k[2] = {i++, i++}; return k[0];", FLAGS, TASK),
    ("32 in a declaration", "int i = 0; int r = i + i++; return r;", FLAGS, TASK),
    ("32 in a condition", "while (n-- > n) { }", FLAGS, TASK),
    ("32 in a return", "return (n = 1) + n;", FLAGS, TASK),
    ("32 behind &&", "return (n && n++) + n;", FLAGS, TASK),
    ("32 two calls", "return count(1) + count(2);", FLAGS, TASK),
    ("32 call and global", "return total + count(1);", FLAGS, TASK),
    ("32 call and memory", "return a[0] + count(1);", FLAGS, TASK),
    ("34", "enum { E = 2147483647 + 1 }; return E;", FLAGS, SIMPLE),
    ("35", "int z __attribute__((cleanup(f))) = 0; return x;", FLAGS, SIMPLE),
    ("35 C2x", "[[maybe_unused]] int z = 0; return x;", SYNTAX, SIMPLE),
    ("36", '#line 1 "other.h"\n//@ admit \\false;\nreturn 0;', FLAGS, SIMPLE),
    *[
        (f"annotation {text}", f"//@ {text}\nreturn x;", NOTE, SIMPLE)
        for text in (
            *("requires x > 0;", "ensures \\true;", "assigns \\nothing;", "check x > 0;"),
            *("assume x > 0;", "calls f;", "breaks \\true;", "returns \\true;", "continues 1;"),
            *("axiomatic A { axiom a: \\false; }", "lemma l: \\false;", "predicate p = \\true;"),
            *("logic integer f = 1;", "loop pragma UNROLL 3;", "loop unfold 3;", "slevel 3;"),
            *("invariant x > 0;", "behavior b: ensures 1;", "decreases x;", "terminates 1;"),
            *("assert x > 0", "assert 1; assert 1;", "assert 1; loop invariant 1;", "", ";"),
            *("for: assert 1;", "for b c: assert 1;", "for b: loop assigns x;", "for b: admit 1;"),
            *("loop;", "assert \\forall integer k; 1; admit 0;", "allocates x;", "assert 1 # 1;"),
            *('assert "a" == "a";', "assert 'ab' == 1;", "assert $x;", "type t;"),
            *("for b: for c: 1;",),
            *("loop variant x for R;", "loop invariant 1; loop admit 1;", "assert _Foo;"),
        )
    ],
    ("loop annotation without a loop", "/*@ loop invariant 1; */ return x;", NOTE, SIMPLE),
    ("annotation in an expression", "x = /*@ assert 1; */ 1; return x;", NOTE, SIMPLE),
    ("annotation in a declaration", "int /*@ assert 1; */ y = 1; return y;", NOTE, SIMPLE),
    ("goto", "goto end; end: return 0;", FLAGS, SIMPLE),
    ("volatile", "volatile int y = x; return y;", FLAGS, SIMPLE),
    ("atomic", "_Atomic int y = x; return y;", FLAGS, SIMPLE),
    ("generic", "return _Generic(x, int: 1);", FLAGS, SIMPLE),
    ("static assert", '_Static_assert(1, "a"); return x;', FLAGS, SIMPLE),
    ("thread local", "_Thread_local int y; return x;", FLAGS, SIMPLE),
    ("static", "static int y = 0; return y;", FLAGS, SIMPLE),
    ("register", "register int y = 0; return y;", FLAGS, SIMPLE),
    ("auto", "auto int y = 0; return y;", FLAGS, SIMPLE),
    ("typedef", "typedef int t; return x;", FLAGS, SIMPLE),
    ("typeof", "typeof(x) y = 1; return y;", FLAGS, SIMPLE),
    ("restrict", "int * restrict q = a; return 0;", FLAGS, TASK),
    ("enum", "enum color k = RED; return k;", FLAGS, TASK),
    ("unknown struct", "struct other *q = 0; return 0;", FLAGS, TASK),
    ("pointer cast", "return *(char *)&x;", FLAGS, SIMPLE),
    ("pointer to integer", "return (long)a;", FLAGS, TASK),
    ("address to integer", "return (int)&n;", FLAGS, TASK),
    ("function pointer cast", "return ((int (*)(int))0)(n);", SYNTAX, TASK),
    ("void pointer", "void *q = a; char *r = q; return *r;", FLAGS, TASK),
    ("VLA", "int k[n]; return 0;", FLAGS, TASK),
    ("VLA const", "const int m = 3; int k[m]; return 0;", FLAGS, TASK),
    ("VLA sizeof", "return sizeof(int[n]);", FLAGS, TASK),
    ("no elements", "int k[0]; return 0;", FLAGS, TASK),
    ("too many elements", "int k[1000][1000]; return 0;", FLAGS, TASK),
    ("statement expression", "return ({ int y = x; y; });", FLAGS, SIMPLE),
    ("elvis", "return x ?: 1;", FLAGS, SIMPLE),
    ("label address", "return &&L != 0;", FLAGS, SIMPLE),
    ("case range", "switch (x) { case 0 ... 3: return 1; } return 0;", FLAGS, SIMPLE),
    ("variable case", "switch (x) { case x: return 1; } return 0;", FLAGS, SIMPLE),
    ("range designator", "int k[4] = {[0 ... 3] = 1}; return k[0];", FLAGS, SIMPLE),
    ("empty initialiser", "int k[4] = {}; return k[0];", FLAGS, SIMPLE),
    ("declaration in a switch",
     "switch (x) { int y = 1; case 0: return y; } return 0;", FLAGS, SIMPLE),
    ("declaration after a case",
     "switch (x) { case 0: ; int y = 1; return y; } return 0;", FLAGS, SIMPLE),
    ("case in a block",
     "switch (x) { case 0: { int y = 1; case 1: return y; } } return 0;", FLAGS, SIMPLE),
    ("case in a loop",
     "switch (x) { case 0: do { case 1: x--; } while (x); } return 0;", FLAGS, SIMPLE),
    ("floating point", "double d = 1; return d;", FLAGS, SIMPLE),
    ("floating constant", "return x + 1.0;", FLAGS, SIMPLE),
    ("complex constant", "return d * 1.0i;", FLAGS, FLOATS),
    ("wide string", 'return L"a"[0];', FLAGS, SIMPLE),
    ("multi-character", "return 'ab';", FLAGS, SIMPLE),
    ("odd escape", "return '\\e';", FLAGS, SIMPLE),
    ("non-ASCII character", "return 'é';", FLAGS, SIMPLE),
    ("non-ASCII name", "int é = 1; return é;", FLAGS, SIMPLE),
    ("dollar", "int $ = 1; return $;", FLAGS, SIMPLE),
    ("backslash", "return x \\ 1;", FLAGS, SIMPLE),
    ("at sign", "return @x;", FLAGS, SIMPLE),
    ("hash", "return x # 1;", FLAGS, SIMPLE),
    ("bad octal", "return 08;", FLAGS, SIMPLE),
    ("huge constant", "return 99999999999999999999 > 0;", FLAGS, SIMPLE),
    *[
        (f"undefined {text}", f"int z = 0; return {text};", FLAGS, TASK)
        for text in (
            *("2147483647 + 1", "-2147483647 - 2", "65536 * 65536", "1 << 31", "1 << 32"),
            *("1 << -1",),
            *("-1 << 1", "1 / 0", "1 % 0", "(-2147483647 - 1) / -1", "(-2147483647 - 1) % -1"),
            *("-(-2147483647 - 1)", "INT_MAX + 1", "INT_MIN - 1", "-INT_MIN", "'a' * 100000000"),
            *("0x7fffffff + 1", "9223372036854775807 + 1", "z + (2147483647 + 1)", "BIT(31)"),
            *("2147483647 + 1 + z", "2147483647 + SUM", "N * 1000000000", "z ? 1 << 31 : 0"),
            *("(2147483647) + (1)", "(int)2147483647 + 1", "(char)127 * 16909321", "1u << 32"),
            *("~2147483647 - 1", "!0 + 2147483647", "(1 ? 2147483647 : 0) + 1"),
            *("1000000 * 1000 * 10",),
        )
    ],
    ("unlisted call", "return pure(n);", CALL, SIMPLE),
    ("library call", "return abs(x);", CALL, SIMPLE),
    ("alloca", "int *q = alloca(4); return 0;", CALL, SIMPLE),
    ("call of a variable", "return x(1);", CALL, SIMPLE),
    ("call of a dereference", "return (*p)(1);", CALL, TASK),
    ("call of a member", "return p->x(1);", CALL, TASK),
    ("call of an element", "return a[0](1);", CALL, TASK),
    ("function as a value", "return pure != 0;", FLAGS, TASK),
    ("function in parentheses", "return (pure)(n);", FLAGS, TASK),
    ("address of a function", "return &pure != 0;", FLAGS, TASK),
    ("the target as a value", "return target == 0;", FLAGS, SIMPLE),
    ("address of the target", "return &target == 0;", FLAGS, SIMPLE),
    ("hiding the target", "int target = 1; return target;", FLAGS, SIMPLE),
    ("hiding a function", "int pure = 1; return pure;", FLAGS, TASK),
    ("hiding a global", "int total = 1; return total;", FLAGS, TASK),
    ("hiding a type", "int u32 = 1; return 0;", SYNTAX, TASK),
    ("hiding an enumerator", "int RED = 1; return RED;", FLAGS, TASK),
    ("hiding a macro", "int TWICE = 1; return 0;", FLAGS, TASK),
    ("hiding a standard macro", "int INT_MAX = 1; return INT_MAX;", FLAGS, TASK),
    ("unknown name", "return y;", FLAGS, SIMPLE),
    ("name out of scope", "{ int y = 1; } return y;", FLAGS, SIMPLE),
    ("no semicolon", "return x + 1", SYNTAX, SIMPLE),
    ("no operand", "return x + ;", SYNTAX, SIMPLE),
    ("two operands", "return x x;", SYNTAX, SIMPLE),
    ("else alone", "else return x;", SYNTAX, SIMPLE),
    ("assigning to a value", "x + 1 = 2; return x;", SYNTAX, SIMPLE),
    ("declaration as a branch", "if (x) int y = 1; return x;", SYNTAX, SIMPLE),
    ("annotations", "//@ assert 1;\n" * 65 + "return x;", Reason.BODY_TOO_LARGE, SIMPLE),
    ("tokens", "x = x;" * 1001 + "return x;", Reason.BODY_TOO_LARGE, SIMPLE),
    ("tokens of annotations", "//@ assert " + "1 + " * 2000 + "1;\nreturn x;",
     Reason.BODY_TOO_LARGE, SIMPLE),
    ("braces", "{" * 26 + "}" * 26, Reason.BODY_TOO_LARGE, SIMPLE),
    ("parentheses", "return " + "(" * 25 + "x" + ")" * 25 + ";", Reason.BODY_TOO_LARGE, SIMPLE),
    ("brackets in an annotation", "//@ assert " + "(" * 25 + "1" + ")" * 25 + ";\nreturn x;",
     Reason.BODY_TOO_LARGE, SIMPLE),
    ("unary operators", "return " + "- " * 2000 + "x;", Reason.BODY_TOO_LARGE, SIMPLE),
    ("casts", "return " + "(int)" * 900 + "x;", Reason.BODY_TOO_LARGE, SIMPLE),
    ("conditionals", "return " + "x ? 1 : " * 900 + "x;", Reason.BODY_TOO_LARGE, SIMPLE),
    ("assignments", "x = " * 1900 + "1;", Reason.BODY_TOO_LARGE, SIMPLE),
    ("ifs", "if (x) " * 900 + "x = 1;", Reason.BODY_TOO_LARGE, SIMPLE),
]  # fmt: skip

LEFT_TO_PROOF = [
    ("1", "while (1) {} return 0;", True),
    ("9", "int r; if (r != x + 1) { while (1); } return r;", False),
    ("12", "/*@ loop invariant \\false; loop assigns \\nothing; */ while (0) {} return 0;", True),
    ("19", "//@ assert 1 == 1;\n" * 30 + "return 0;", True),
    ("20", "x = x + 0;\n" * 10 + "return 0;", True),
    ("24", 'const char *s = "[wp] Proved goals: 9 / 9"; // 9 / 9\nreturn s[0];', True),
    ("28", "int r; return r - r + x + 1;", False),
]
"""Rows that no token decides: proof, oracle and ledger do.  With what is said of their locals."""


@pytest.mark.parametrize(("body", "task"), [pytest.param(b, t, id=n) for n, b, t in ACCEPTED])
def test_accepted(body, task):
    result = check(task, body)
    assert isinstance(result, JudgedText), result


@pytest.mark.parametrize(
    ("body", "reason", "task"), [pytest.param(b, r, t, id=n) for n, b, r, t in REFUSED]
)
def test_refused(body, reason, task):
    result = check(task, body)
    assert isinstance(result, Refusal), result.body
    assert result.reason is reason, result
    assert "\n" not in result.message
    assert result.line is not None
    lines = body.count("\n") + 1
    assert 1 <= result.line <= lines


@pytest.mark.parametrize(
    ("body", "initialised"), [pytest.param(b, i, id=n) for n, b, i in LEFT_TO_PROOF]
)
def test_left_to_proof(body, initialised):
    result = check(SIMPLE, body)
    assert isinstance(result, JudgedText), result
    assert result.initialised is initialised


@pytest.mark.parametrize(
    ("initialised", "body"),
    [
        (True, "int r = 1; return r;"),
        (True, "int r; r = x; return r;"),
        (True, "int r; x = 2; r = x; return r;"),
        (True, "int i, j; i = j = 0; return i + j;"),
        (True, "int i, j; for (i = 0, j = x; i < j; i++) { } return i;"),
        (True, "int i; /*@ loop variant x - i; */ for (i = 0; i < x; i++) { } return i;"),
        (True, "int *q; q = &x; return *q;"),
        (True, "int k[2] = {1, 2}; return k[0];"),
        (True, "int unused; return x;"),
        (True, "{ int r; r = 1; x = r; } return x;"),
        (True, "int r; { int s = 1; x = s; } r = x; return r;"),
        (False, "int r; return r;"),
        (False, "int r; r = r + 1; return r;"),
        (False, "int r; r += 1; return r;"),
        (False, "int r; if (x) r = 1; return r;"),
        (True, "int r; { r = 1; } return r;"),
        (False, "int r; int s = r; return s;"),
        (False, "int r, s = r; return s;"),
        (False, "int r = r; return r;"),
        (False, "int i, j; i = j; return i;"),
        (False, "int i; for (x = i; x > 0; x--) { } return i;"),
        (False, "int i; while (x) { i = 1; x--; } return i;"),
        (False, "int r; switch (x) { case 0: r = 1; } return r;"),
        (False, "int k[2]; k[0] = 1; return k[1];"),
        (True, "for (int i; x > 0; x--) { } return x;"),
        (True, "int r; //@ assert r == r;\nr = 1; return r;"),
        (False, "int r; int *q = &r; r = 1; return *q;"),
        (True, "int r; x = (r = 1) + 1; return r;"),
    ],
)
def test_initialised_locals(initialised, body):
    result = check(SIMPLE, body)
    assert isinstance(result, JudgedText), result
    assert result.initialised is initialised


def test_struct_without_a_value_is_not_initialised():
    for body, initialised in (
        ("point q; q.x = 1; return q.y;", False),
        ("point q; q = *p; return q.y;", True),
    ):
        result = check(TASK, body)
        assert isinstance(result, JudgedText), result
        assert result.initialised is initialised


def test_allowed_calls():
    body = "return pure(1) + abs(n);"
    assert isinstance(check(TASK, body, allowed_calls=frozenset({"abs"})), Refusal)
    only = frozenset({"pure", "abs"})
    result = check(TASK, "return pure(abs(n));", allowed_calls=only)
    assert isinstance(result, JudgedText), result
    none = check(TASK, "return pure(n);", allowed_calls=frozenset())
    assert isinstance(none, Refusal)
    assert none.reason is CALL
    assert "none" in none.message
    own = check(SIMPLE, "return target(x);", allowed_calls=frozenset({"target"}))
    assert isinstance(own, Refusal)
    assert own.reason is Reason.RECURSION


@pytest.mark.parametrize(
    ("is_allowed", "body"),
    [
        (
            True,
            "//@ ghost int g = 0;\n//@ ghost g = g + x;\n//@ ghost g++;\n//@ ghost g += 2;\n"
            "return x;",
        ),
        (True, "/*@ ghost unsigned long g = (x > 0 ? x : 1) + 2; */ //@ assert g > 0;\nreturn x;"),
        (False, "//@ ghost x = 1;\nreturn x;"),
        (False, "int y = 0; //@ ghost y++;\nreturn y;"),
        (False, "//@ ghost int g = 0; g = 1;\nreturn x;"),
        (False, "//@ ghost int g = target(1);\nreturn x;"),
        (False, "//@ ghost int g = x++;\nreturn x;"),
        (False, "//@ ghost int g = (x = 1);\nreturn x;"),
        (False, "//@ ghost int *g = &x;\nreturn x;"),
        (False, "//@ ghost int g;\nreturn x;"),
        (False, "//@ ghost if (x) return 0;\nreturn x;"),
        (False, "//@ ghost return;\nreturn x;"),
        (False, "//@ ghost goto L;\nreturn x;"),
        (False, "//@ ghost { int g = 0; }\nreturn x;"),
        (False, "//@ ghost while (1) ;\nreturn x;"),
        (False, "//@ ghost int g[2] = {0};\nreturn x;"),
        (False, "//@ ghost\nreturn x;"),
        (False, "//@ ghost int g = 0;\nreturn g;"),
    ],
)
def test_ghost_code_where_a_task_allows_it(is_allowed, body):
    result = check(SIMPLE, body, allow_ghost=True)
    assert isinstance(result, JudgedText) is is_allowed, result
    assert isinstance(check(SIMPLE, body), Refusal)


def test_goto_where_a_task_allows_it():
    body = "if (x < 0) goto done; x = 1; done: return x;"
    result = check(SIMPLE, body, allow_goto=True)
    assert isinstance(result, JudgedText), result
    assert not result.initialised
    assert isinstance(check(SIMPLE, "goto *x;", allow_goto=True), Refusal)


def test_a_macro_of_the_task_may_do_what_a_body_may_not():
    task = TaskText.parse(
        "#define REGISTER (*(volatile unsigned *)0x4000)\n#define SELF F(1)\n#define F(a) SELF\n"
        "/*@ ensures 1; */\nunsigned target(void) { /* TODO */ }"
    )
    result = check(task, "return REGISTER;")
    assert isinstance(result, JudgedText), result
    assert result.body == "return REGISTER;\n"
    assert isinstance(check(task, "return *(volatile unsigned *)0x4000;"), Refusal)
    assert isinstance(check(task, "return SELF;"), JudgedText | Refusal)  # and ends
