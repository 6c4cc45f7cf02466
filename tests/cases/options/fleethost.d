/*
 * Option fleethost names the host, and a recording with it has aggregations as
 * what came since the last reading.
 * @@args: -q -x fleethost=web1
 */
BEGIN { printf("%s|%s\n", host, strjoin(host, ".example")); exit(0); }
