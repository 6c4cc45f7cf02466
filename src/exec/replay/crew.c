/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that read parts of a recording.
 *
 *	owner: take -> jobs[] (a ring, in the order of the recording) -> end
 *	member:	  next job -> play -> its own machine and aggregations
 *
 *	READY -> RUNS -> OVER		the owner sets READY; members the others
 *
 * Each member is a struct rp of the same plan; nothing that it writes is
 * another's.  A fault is kept in its job, and handed over when the jobs before
 * it are over: they come in the order of the recording.  A crew of one has no
 * thread: its owner plays.
 *
 * `lock` guards the states of jobs, the ring's numbers and is_over; no other
 * lock is taken within it.  A job's other members are those of the thread that
 * runs it, and the owner's before and after.
 */
#include "exec/replay/impl.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/thread.h"

/* parts per member that wait, run, or wait for their end */
#define JOBS_OF_ONE 3
#define ROUND 64 /* parts of a rp_crew_read() */

struct rp_job {
	enum { RP_READY, RP_RUNS, RP_OVER } state;
	struct rp_part *part;
	VEC(struct dt_record) faults;
};

struct rp_member {
	struct rp_crew *crew;
	struct rp *rp;
	struct rp_job *job;
	pthread_t thread;
};

struct rp_crew {
	struct rp *rp; /* the owner's */
	struct rp_member *members;
	struct rp_reader **readers; /* by member */
	uint32_t n, nthreads;

	pthread_mutex_t lock;
	pthread_cond_t has_work, is_done;
	struct rp_job *jobs;
	uint32_t njobs, first, count, nready; /* the last nready of count */
	bool is_over;
};

uint32_t
rp_crew_size(const struct rp_crew *crew)
{
	return crew->n;
}

/* ---- members ------------------------------------------------------------- */

/* A dt_record_f.  The plan has no records, so only faults come. */
static int
keep_fault(const struct dt_record *rec, void *arg)
{
	struct rp_member *m = arg;

	VEC_PUSH(&m->job->faults, *rec);
	return 0;
}

static void
play(struct rp_member *m, struct rp_job *job)
{
	struct rp *rp = m->rp;
	uint32_t i = (uint32_t)(m - m->crew->members);

	m->job = job;
	rp->f = keep_fault;
	rp->farg = m;
	(void)rp->src.parts->play(m->crew->readers[i], job->part, rp_take, rp);
}

static void *
work(void *arg)
{
	struct rp_member *m = arg;
	struct rp_crew *crew = m->crew;
	struct rp_job *job;

	pthread_mutex_lock(&crew->lock);
	for (;;) {
		while (crew->nready == 0 && !crew->is_over)
			pthread_cond_wait(&crew->has_work, &crew->lock);
		if (crew->is_over)
			break;
		job = &crew->jobs[(crew->first + crew->count - crew->nready) %
		    crew->njobs];
		crew->nready--;
		job->state = RP_RUNS;
		pthread_mutex_unlock(&crew->lock);
		play(m, job);
		pthread_mutex_lock(&crew->lock);
		job->state = RP_OVER;
		pthread_cond_signal(&crew->is_done);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* ---- the owner ----------------------------------------------------------- */

static void
end_job(struct rp_crew *crew, struct rp_job *job)
{
	struct rp *rp = crew->rp;

	VEC_FOREACH(&job->faults, rec) {
		int rc = rp->f(rec, rp->farg);

		rp->rc = rp->rc != 0 ? rp->rc : rc;
	}
	job->faults.n = 0;
	rp->src.parts->end(rp->src.arg, job->part);
}

/*
 * End jobs that are over.  Wait for running ones until at most `left` remain.
 */
static void
end_jobs(struct rp_crew *crew, uint32_t left)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->count != 0) {
		struct rp_job *job = &crew->jobs[crew->first];

		if (job->state != RP_OVER && crew->count <= left)
			break;
		if (job->state != RP_OVER) {
			pthread_cond_wait(&crew->is_done, &crew->lock);
			continue;
		}
		pthread_mutex_unlock(&crew->lock);
		end_job(crew, job);
		pthread_mutex_lock(&crew->lock);
		crew->first = (crew->first + 1) % crew->njobs;
		crew->count--;
	}
	pthread_mutex_unlock(&crew->lock);
}

static void
add_job(struct rp_crew *crew, struct rp_part *part)
{
	struct rp_job *job;

	end_jobs(crew, crew->njobs - 1);
	pthread_mutex_lock(&crew->lock);
	job = &crew->jobs[(crew->first + crew->count) % crew->njobs];
	job->part = part;
	job->state = crew->nthreads != 0 ? RP_READY : RP_OVER;
	crew->count++;
	crew->nready += crew->nthreads != 0;
	pthread_cond_signal(&crew->has_work);
	pthread_mutex_unlock(&crew->lock);
	if (crew->nthreads == 0)
		play(&crew->members[0], job);
}

static void
end_all(struct rp_crew *crew)
{
	end_jobs(crew, 0);
	for (uint32_t i = 0; i < crew->n; i++) {
		if (crew->members[i].rp->now_ns > crew->rp->now_ns)
			crew->rp->now_ns = crew->members[i].rp->now_ns;
	}
}

int
rp_crew_read(struct rp_crew *crew)
{
	const struct rp_source *src = &crew->rp->src;
	int rc = 1;

	for (unsigned i = 0; i < ROUND && rc == 1; i++) {
		struct rp_part *part;
		bool grew;

		rc = src->parts->take(src->arg, &part, &grew);
		if (grew) {
			end_all(crew);
			src->parts->grow(src->arg, crew->readers, crew->n);
		}
		if (rc == 1)
			add_job(crew, part);
	}
	if (rc != 1)
		end_all(crew);
	return rc;
}

struct rp *
rp_crew_member(struct rp_crew *crew, uint32_t i)
{
	end_all(crew);
	return crew->members[i].rp;
}

/* ---- life ---------------------------------------------------------------- */

static bool
add_member(struct rp_crew *crew, struct rp *rp, const struct dt_exec_opts *opts)
{
	struct rp_member *m = &crew->members[crew->n];
	struct rp_source src = rp->src;
	struct rp_tape tape = rp->reels[0].tape;
	struct err err = { 0 };

	src.tapes = &tape;
	m->crew = crew;
	crew->readers[crew->n] = src.parts->reader_create(src.arg);
	if (crew->readers[crew->n] == NULL)
		return false;
	if (rp_load_one(rp->pl, opts, &src, &m->rp, &err) != 0) {
		err_clear(&err);
		src.parts->reader_destroy(crew->readers[crew->n]);
		return false;
	}
	crew->n++;
	return true;
}

/* Start the threads; a crew of one needs none. */
static void
start_threads(struct rp_crew *crew)
{
	while (crew->n > 1 && crew->nthreads < crew->n) {
		struct rp_member *m = &crew->members[crew->nthreads];

		if (thread_start(&m->thread, work, m) != 0)
			break;
		crew->nthreads++;
	}
}

struct rp_crew *
rp_crew_create(struct rp *rp, const struct dt_exec_opts *opts)
{
	struct rp_crew *crew = mem_alloc(sizeof(*crew));
	uint32_t max = rp->src.nthreads;

	crew->rp = rp;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->has_work, NULL);
	pthread_cond_init(&crew->is_done, NULL);
	crew->members = mem_alloc(max * sizeof(*crew->members));
	crew->readers = mem_alloc(max * sizeof(struct rp_reader *));
	while (crew->n < max && add_member(crew, rp, opts))
		;
	crew->njobs = JOBS_OF_ONE * max;
	crew->jobs = mem_alloc(crew->njobs * sizeof(*crew->jobs));
	if (crew->n == 0) {
		rp_crew_destroy(crew);
		return NULL;
	}
	start_threads(crew);
	return crew;
}

static void
stop_threads(struct rp_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->is_over = true;
	pthread_cond_broadcast(&crew->has_work);
	pthread_mutex_unlock(&crew->lock);
	for (uint32_t i = 0; i < crew->nthreads; i++)
		pthread_join(crew->members[i].thread, NULL);
}

void
rp_crew_destroy(struct rp_crew *crew)
{
	if (crew == NULL)
		return;
	stop_threads(crew);
	for (uint32_t i = 0; i < crew->count; i++) {
		struct rp_job *job =
		    &crew->jobs[(crew->first + i) % crew->njobs];

		crew->rp->src.parts->end(crew->rp->src.arg, job->part);
	}
	for (uint32_t i = 0; i < crew->njobs; i++)
		VEC_FREE(&crew->jobs[i].faults);
	for (uint32_t i = 0; i < crew->n; i++) {
		crew->rp->src.parts->reader_destroy(crew->readers[i]);
		dt_exec_replay.destroy(&crew->members[i].rp->x);
	}
	pthread_mutex_destroy(&crew->lock);
	pthread_cond_destroy(&crew->has_work);
	pthread_cond_destroy(&crew->is_done);
	free(crew->members);
	free(crew->readers);
	free(crew->jobs);
	free(crew);
}
