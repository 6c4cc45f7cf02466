/* A stack has no type. */
BEGIN { print(stack()); }
