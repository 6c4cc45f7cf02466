/*
 * Each comparison has its branch: signed where both sides are, else unsigned;
 * equality needs no sign.
 */
BEGIN { trace((int64_t)arg0 < (int64_t)arg1); }
BEGIN { trace((int64_t)arg0 <= (int64_t)arg1); }
BEGIN { trace((int64_t)arg0 > (int64_t)arg1); }
BEGIN { trace((int64_t)arg0 >= (int64_t)arg1); }
BEGIN { trace((uint64_t)arg0 < arg1); }
BEGIN { trace((uint64_t)arg0 <= arg1); }
BEGIN { trace((uint64_t)arg0 > arg1); }
BEGIN { trace((uint64_t)arg0 >= arg1); }
BEGIN { trace((int64_t)arg0 % (int64_t)arg1); }
BEGIN { trace((uint64_t)arg0 % arg1); }
