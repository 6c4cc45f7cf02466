/*
 * A fault is reported with the number of the action where it came: an
 * aggregation counts itself, each key, the increment and the value.
 * @@args: -q
 */
BEGIN { @a[1] = sum(*(int *)8); }
BEGIN { @b = sum(*(int *)16); }
BEGIN { @c[1, *(int *)24] = count(); }
BEGIN { @d[1] = quantize(*(int *)32, 3); }
BEGIN { @h = quantize(*(int *)36, 3); }
BEGIN { @e[1] = quantize(3, *(int *)40); }
BEGIN { x = 1; @f = max(2); trace(*(int *)48); }
BEGIN { @g["k", 2] = lquantize(*(int *)56, 0, 10, 1); }
ERROR { printf("%d: action %d\n", arg5, arg2); }
BEGIN { clear(@f); trunc(@f); exit(0); }
