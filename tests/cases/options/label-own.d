/*
 * A script's own function label() hides the built-in one.
 * @@args: -q -x fleetlabel=role=db
 */
inline string label[string s] = strjoin(s, "!");
BEGIN { printf("%s\n", label("role")); exit(0); }
