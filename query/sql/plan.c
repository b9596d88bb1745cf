// SPDX-License-Identifier: GPL-2.0-only
/*
 * plan.c - uses a statement's WHERE to read less of the files.
 *
 * Constraints on the columns with a role are used: time and CPU select the blocks to read, a file's name excludes
 * the other files. SQLite still tests every row (omit stays 0), so a scan may return more rows than match, never
 * fewer. The plan is a text with two letters per value, for its role and its operator, then ':' and the columns
 * that are read, in hexadecimal.
 */
#include "query/sql/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct operator_of {
	unsigned char op;
	char letter;
};

static const struct operator_of operators[] = {
	{ SQLITE_INDEX_CONSTRAINT_EQ, '=' }, { SQLITE_INDEX_CONSTRAINT_GT, '>' },
	{ SQLITE_INDEX_CONSTRAINT_GE, 'g' }, { SQLITE_INDEX_CONSTRAINT_LT, '<' },
	{ SQLITE_INDEX_CONSTRAINT_LE, 'l' },
};

static char letter_of(unsigned char op)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (operators[i].op == op)
			return operators[i].letter;
	return 0;
}

/* Whether a constraint with that operator on such a column reduces reading. */
static bool helps(enum query_role role, char op)
{
	switch (role) {
	case QUERY_TS:
	case QUERY_TS_END:
		return true;
	case QUERY_CPU:
	case QUERY_UTID:
	case QUERY_KEY:
	case QUERY_RUN:
	case QUERY_FROM:
	case QUERY_TO:
	case QUERY_ARG:
	case QUERY_ARG_2:
	case QUERY_ARG_3:
	case QUERY_ARG_4:
		return op == '=';
	case QUERY_PLAIN:
	case QUERY_DUR:
	case QUERY_TID:
	case QUERY_EVENT:
	case QUERY_SYSTEM:
	case QUERY_ROLES:
		break;
	}
	return false;
}

/* Approximate share of the rows that is left. */
static double share(const struct query_table *t, const struct query_db *db, enum query_role role,
		    char op)
{
	uint32_t cpus = db->runs.n ? cdict_reader_cpus(db->runs.at[0]->reader) : 1;

	switch (role) {
	case QUERY_TS:
	case QUERY_TS_END:
		return op == '=' ? 0.0001 : 0.1;
	case QUERY_CPU:
		return t->flags & QUERY_NARROWS ? 1.0 / (cpus ? cpus : 1) : 0.9;
	case QUERY_UTID:
		return t->flags & QUERY_SMALL ? 0.001 : 0.9;
	case QUERY_KEY:
		return 0.001;
	case QUERY_RUN:
		return 1.0 / (double)(db->runs.n ? db->runs.n : 1);
	case QUERY_FROM:
	case QUERY_TO:
	case QUERY_ARG:
	case QUERY_ARG_2:
	case QUERY_ARG_3:
	case QUERY_ARG_4:
		return 0.1;
	case QUERY_PLAIN:
	case QUERY_DUR:
	case QUERY_TID:
	case QUERY_EVENT:
	case QUERY_SYSTEM:
	case QUERY_ROLES:
		break;
	}
	return 1;
}

int plan_best(sqlite3_index_info *info, const struct query_db *db, const struct query_table *table)
{
	/* one constraint per role and operator is enough: SQLite tests the others */
	bool taken[QUERY_ROLES][128] = { { false } };
	double rows = table->flags & QUERY_SMALL ? 200 : (double)query_db_events(db) + 200;
	char *text = sqlite3_malloc(2 * 32 + 32);
	int n = 0, len = 0;
	bool window = false;

	if (!text)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint && n < 32; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		enum query_role role = c->iColumn < 0 ? QUERY_PLAIN
						      : table->columns[c->iColumn].role;
		bool argument = role >= QUERY_FROM;
		char op = letter_of(c->op);

		if (!op || !helps(role, op))
			continue;
		if (argument) {
			/* without its arguments such a table would be a different one */
			if (!c->usable) {
				sqlite3_free(text);
				return SQLITE_CONSTRAINT;
			}
			window = true;
		}
		if (!c->usable || taken[role][(unsigned char)op])
			continue;
		taken[role][(unsigned char)op] = true;
		info->aConstraintUsage[i].argvIndex = ++n;
		info->aConstraintUsage[i].omit = argument;
		text[len++] = (char)('a' + (int)role);
		text[len++] = op;
		rows *= share(table, db, role, op);
	}
	sqlite3_snprintf(32, text + len, ":%llx", (unsigned long long)info->colUsed);
	info->idxStr = text;
	info->needToFreeIdxStr = 1;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = rows * (table->flags & QUERY_SMALL ? 1 : 10) + 10;
	if ((table->flags & QUERY_ORDERED) && !window && info->nOrderBy == 1 && db->runs.n == 1 &&
	    info->aOrderBy[0].iColumn >= 0 && !info->aOrderBy[0].desc &&
	    table->columns[info->aOrderBy[0].iColumn].role == QUERY_TS)
		info->orderByConsumed = 1;
	return SQLITE_OK;
}

/* ---- values ---- */

/* An integer that compares with times as @v does; false if no integer does. */
static bool integer_of(sqlite3_value *v, char op, int64_t *out, bool *exact)
{
	double d;

	*exact = true;
	switch (sqlite3_value_numeric_type(v)) {
	case SQLITE_INTEGER:
		*out = sqlite3_value_int64(v);
		return true;
	case SQLITE_FLOAT:
		d = sqlite3_value_double(v);
		if (isnan(d))
			return false;
		*exact = d == floor(d) && fabs(d) < 9e18;
		d = op == '>' || op == 'l' ? floor(d) : ceil(d);
		*out = d >= 9.2e18 ? INT64_MAX : d <= -9.2e18 ? INT64_MIN : (int64_t)d;
		return true;
	default:
		return false; /* texts are larger than all numbers: left to SQLite */
	}
}

static void limit(uint64_t *from_ns, uint64_t *to_ns, bool *nothing, char op, int64_t v)
{
	bool lower = op == '=' || op == '>' || op == 'g',
	     upper = op == '=' || op == '<' || op == 'l';

	if (lower && v > 0) {
		uint64_t from = (uint64_t)v + (op == '>' && v < INT64_MAX);

		*from_ns = from > *from_ns ? from : *from_ns;
	}
	if (upper) {
		if (v < 0 || (v == 0 && op == '<')) {
			*nothing = true;
			return;
		}
		v -= op == '<';
		*to_ns = (uint64_t)v < *to_ns ? (uint64_t)v : *to_ns;
	}
	*nothing |= *from_ns > *to_ns;
}

static int take_run(struct plan_run *run, sqlite3_value *v)
{
	const unsigned char *text;

	run->one = true;
	if (sqlite3_value_type(v) != SQLITE_TEXT)
		return SQLITE_OK;
	text = sqlite3_value_text(v);
	run->name = text ? strdup((const char *)text) : NULL;
	return run->name ? SQLITE_OK : SQLITE_NOMEM;
}

static void take_constraint(struct query_scan *scan, enum query_role role, char op, int64_t v,
			    bool exact)
{
	switch (role) {
	case QUERY_TS:
		limit(&scan->from_ns, &scan->to_ns, &scan->nothing, op, v);
		break;
	case QUERY_TS_END:
		limit(&scan->end_from_ns, &scan->end_to_ns, &scan->nothing, op, v);
		break;
	case QUERY_CPU:
		scan->has_cpu = true;
		scan->cpu = (uint32_t)v;
		scan->nothing |= v < 0 || v >= CDICT_CPU_UNKNOWN || !exact;
		break;
	case QUERY_UTID:
		scan->has_utid = true;
		scan->utid = v;
		scan->nothing |= !exact;
		break;
	case QUERY_KEY:
		scan->has_key = true;
		scan->key = v;
		scan->nothing |= !exact;
		break;
	case QUERY_FROM:
		scan->clip_from_ns = v > 0 && (uint64_t)v > scan->clip_from_ns ? (uint64_t)v
									       : scan->clip_from_ns;
		break;
	case QUERY_TO:
		if (v <= 0)
			scan->nothing = true;
		else if (!scan->clip_to_ns || (uint64_t)v < scan->clip_to_ns)
			scan->clip_to_ns = (uint64_t)v;
		break;
	case QUERY_RUN:
	case QUERY_ARG:
	case QUERY_ARG_2:
	case QUERY_ARG_3:
	case QUERY_ARG_4:
	case QUERY_PLAIN:
	case QUERY_DUR:
	case QUERY_TID:
	case QUERY_EVENT:
	case QUERY_SYSTEM:
	case QUERY_ROLES:
		break;
	}
}

int plan_scan(struct query_scan *scan, struct plan_run *run, const char *text, int argc,
	      sqlite3_value **argv)
{
	const char *used = text ? strchr(text, ':') : NULL;

	*scan = (struct query_scan){ .to_ns = UINT64_MAX,
				     .end_to_ns = UINT64_MAX,
				     .used = used ? strtoull(used + 1, NULL, 16) : UINT64_MAX };
	*run = (struct plan_run){ 0 };
	for (int i = 0; text && i < argc; i++) {
		enum query_role role = (enum query_role)(text[2 * i] - 'a');
		char op = text[2 * i + 1];
		bool exact;
		int64_t v;

		if (role == QUERY_RUN) {
			int rc = run->one ? SQLITE_OK : take_run(run, argv[i]);

			if (rc != SQLITE_OK)
				return rc;
		} else if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
			/* A later argument may be left out; nothing equals NULL. */
			scan->nothing |= role <= QUERY_ARG;
		} else if (role >= QUERY_ARG) {
			scan->args[role - QUERY_ARG] = sqlite3_value_dup(argv[i]);
			if (!scan->args[role - QUERY_ARG])
				return SQLITE_NOMEM;
		} else if (integer_of(argv[i], op, &v, &exact)) {
			if (op != '=' || exact || role == QUERY_FROM || role == QUERY_TO)
				take_constraint(scan, role, op, v, exact);
			else
				scan->nothing = true;
		}
	}
	scan->nothing |= scan->clip_to_ns && scan->clip_from_ns > scan->clip_to_ns;
	return SQLITE_OK;
}

void plan_scan_fini(struct query_scan *scan)
{
	for (size_t i = 0; i < QUERY_ARGS; i++)
		sqlite3_value_free(scan->args[i]);
	*scan = (struct query_scan){ 0 };
}

bool plan_run_wants(const struct plan_run *run, const struct query_run_of *of)
{
	return !run->one || (run->name && !strcmp(run->name, of->name));
}

void plan_run_fini(struct plan_run *run)
{
	free(run->name);
	*run = (struct plan_run){ 0 };
}
