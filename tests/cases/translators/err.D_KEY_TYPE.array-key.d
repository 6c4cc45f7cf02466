/* A struct that is translated is no key: its members are. */
BEGIN { a[*curpsinfo] = 1; }
