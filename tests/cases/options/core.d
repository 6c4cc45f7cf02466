/*
 * Option core raises the limit on core files.
 */
BEGIN { system("ulimit -c"); exit(0); }
