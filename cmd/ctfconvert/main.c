/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ctfconvert(1): add a CTF section, made from DWARF, to a program, library or
 * object file.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "ctf/ctf_convert.h"
#include "ctf/ctf_elf.h"

#define SECTION ".SUNW_ctf"

struct ctfconvert_cmd {
	const char *input, *output;
	struct ctf_build_opts opts;
	bool is_raw, is_verbose;
};

static void
usage(void)
{
	fprintf(stderr,
	    "Usage: ctfconvert [-rvz] [-3] [-l label] [-o outfile] file\n"
	    "\t-l\tname of the label over all types\n"
	    "\t-o\twrite a copy of the file; else it is replaced\n"
	    "\t-r\twrite the type data alone (with -o)\n"
	    "\t-v\treport types that could not be converted\n"
	    "\t-z\tcompress\n"
	    "\t-3\tFreeBSD's version 3, for more than 32767 types\n");
}

static int
parse_options(struct ctfconvert_cmd *c, int argc, char **argv)
{
	int opt;

	while ((opt = getopt(argc, argv, "3l:o:rvz")) != -1) {
		switch (opt) {
		case '3':
			c->opts.format = CTF_FMT_V3;
			break;
		case 'l':
			c->opts.label = optarg;
			break;
		case 'o':
			c->output = optarg;
			break;
		case 'r':
			c->is_raw = true;
			break;
		case 'v':
			c->is_verbose = true;
			break;
		case 'z':
			c->opts.compress = true;
			break;
		default:
			return -1;
		}
	}
	if (optind + 1 != argc || (c->is_raw && c->output == NULL))
		return -1;
	c->input = argv[optind];
	return 0;
}

static int
complain(const char *path, const char *what)
{
	fprintf(stderr, "ctfconvert: %s: %s\n", path, what);
	return -1;
}

static int
read_file(const char *path, struct strbuf *to, mode_t *mode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0 || fstat(fd, &st) != 0)
		return complain(path, strerror(errno));
	*mode = st.st_mode & 07777;
	while ((n = read(fd, strbuf_room(to, 1 << 16), 1 << 16)) > 0)
		to->len += (size_t)n;
	close(fd);
	return n < 0 ? complain(path, strerror(errno)) : 0;
}

static int
write_all(int fd, const struct strbuf *sb)
{
	for (size_t done = 0; done < sb->len;) {
		ssize_t n = write(fd, sb->s + done, sb->len - done);

		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

/* Write a new file and rename it: a running program keeps its old one. */
static int
write_file(const char *path, const struct strbuf *sb, mode_t mode)
{
	char *tmp = mem_printf("%s.XXXXXX", path);
	int fd = mkstemp(tmp), rc = 0;

	if (fd < 0 || write_all(fd, sb) != 0 || fchmod(fd, mode) != 0 ||
	    rename(tmp, path) != 0) {
		rc = complain(path, strerror(errno));
		if (fd >= 0)
			unlink(tmp);
	}
	if (fd >= 0)
		close(fd);
	free(tmp);
	return rc;
}

static int
write_section(const struct ctfconvert_cmd *c, const struct strbuf *ctf)
{
	struct strbuf img = { 0 }, out = { 0 };
	mode_t mode = 0644;
	struct err err = { 0 };
	int rc = read_file(c->input, &img, &mode);

	if (rc == 0 && !c->is_raw &&
	    ctf_elf_add_section(img.s, img.len, SECTION, ctf, &out, &err) != 0)
		rc = complain(c->input, err_text(&err));
	if (rc == 0)
		rc = write_file(c->output != NULL ? c->output : c->input,
		    c->is_raw ? ctf : &out, c->is_raw ? 0644 : mode);
	strbuf_fini(&img);
	strbuf_fini(&out);
	err_clear(&err);
	return rc;
}

static int
convert(const struct ctfconvert_cmd *c)
{
	struct strbuf ctf = { 0 }, notes = { 0 };
	struct err err = { 0 };
	int rc = ctf_convert(c->input, &c->opts, &ctf, &notes, &err);

	if (rc != 0)
		fprintf(stderr, "ctfconvert: %s\n", err_text(&err));
	else if (c->is_verbose && notes.len != 0)
		fputs(notes.s, stderr);
	if (rc == 0)
		rc = write_section(c, &ctf);
	strbuf_fini(&ctf);
	strbuf_fini(&notes);
	err_clear(&err);
	return rc;
}

int
main(int argc, char **argv)
{
	struct ctfconvert_cmd c = { .opts = { .format = CTF_FMT_V2 } };

	if (parse_options(&c, argc, argv) != 0) {
		usage();
		return 2;
	}
	return convert(&c) == 0 ? 0 : 1;
}
