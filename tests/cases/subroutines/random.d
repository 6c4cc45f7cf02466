/*
 * random gives 64 bits, and other ones each time.
 * @@args: -q
 */
uint64_t all, last;

tick-1ms { x = random(); all |= x; same += x == last; last = x; n++; }
tick-1ms /n == 100/ { printf("%x %d\n", all, same); exit(0); }
