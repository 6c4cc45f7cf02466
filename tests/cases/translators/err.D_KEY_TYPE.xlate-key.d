/* A struct that is translated is no key: its members are. */
BEGIN { a[xlate <psinfo_t> (curthread)] = 1; }
