/*
 * Option fleetlabel gives label() its values: constants, in predicates and keys,
 * too.  A label that the host does not have is "", of two the first counts.
 * @@args: -q -x fleetlabel=role=db -x fleetlabel=rack=r=7 -x fleetlabel=role=web
 */
BEGIN /label("role") == "db"/
{
	printf("%s|%s|%s|", label("role"), label("rack"), label("ro"));
	printf("%s\n", strjoin(label("rack"), ".example"));
	@[label("role"), label("none")] = count();
	self->rack = label("rack");
}
BEGIN /label("role") != "db"/ { printf("never\n"); }
BEGIN { printf("%s %d\n", self->rack, strlen(label("role"))); exit(0); }
END { printa("[%s][%s] %@d\n", @); }
