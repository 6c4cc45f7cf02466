/*
 * With oformat=json a committed firing is an object like any other, without
 * the actions that only speculate.
 * @@args: -q -x oformat=json
 */
BEGIN { s = speculation(); }
BEGIN { speculate(s); trace(1); }
BEGIN { commit(s); }
BEGIN { exit(0); }
