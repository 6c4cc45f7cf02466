#!/usr/sbin/dtrace -s
/*
 * str-json.d: members, elements and nested values of JSON, as jq(1) gives
 * them.
 *
 * @@load: sh :
 * @@how: self
 * @@needs: cmd:jq
 * @@truth: output
 * @@check: out.split() == os.popen("echo '{\"name\": \"x1\", \"list\": [10,
 *     20, {\"in\": true}], \"deep\": {\"er\": {\"n\": -7}}}' | jq -r '.name,
 *     .list[1], .list[2].in, .deep.er.n'").read().split() + ["none"]
 */

#pragma D option quiet

BEGIN
{
	j = strjoin("{\"name\": \"x1\", \"list\": [10, 20, {\"in\": true}], ",
	    "\"deep\": {\"er\": {\"n\": -7}}}");
	printf("%s %s ", json(j, "name"), json(j, "list[1]"));
	printf("%s %s ", json(j, "list[2].in"), json(j, "deep.er.n"));
	printf("%s\n", json(j, "absent") == NULL ? "none" : "some");
	exit(0);
}
