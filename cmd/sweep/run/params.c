/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters and their values. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/sweep/run/sweep.h"

static int refuse(struct cdict_error *err, const char *spec, const char *why)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --param: '%s' %s", spec, why);
}

/* Length of the number before a unit. */
static size_t digits(const char *text)
{
	size_t n = *text == '-' || *text == '+', whole, part = 0;

	n += whole = strspn(text + n, "0123456789");
	if (text[n] == '.')
		n += 1 + (part = strspn(text + n + 1, "0123456789"));
	if (!whole && !part)
		return 0;
	if (tolower(text[n]) == 'e') {
		size_t sign = text[n + 1] == '-' || text[n + 1] == '+';
		size_t power = strspn(text + n + 1 + sign, "0123456789");

		n += power ? 1 + sign + power : 0;
	}
	return n;
}

bool sweep_plain_number(const char *text, double *out)
{
	size_t n;

	text += strspn(text, " ");
	n = digits(text);
	*out = n ? strtod(text, NULL) : 0;
	return n && !text[n + strspn(text + n, " ")];
}

/* "2^24": a power; its base in *@base. */
static bool power_of(const char *text, double *out, double *base)
{
	size_t whole = strspn(text, "0123456789"), exponent = 0;

	if (whole && text[whole] == '^')
		exponent = strspn(text + whole + 1, "0123456789");
	if (!exponent || text[whole + 1 + exponent])
		return false;
	*base = strtod(text, NULL);
	*out = pow(*base, strtod(text + whole + 1, NULL));
	return *base > 1 && *out <= SWEEP_NUMBER_MAX;
}

bool sweep_number(const char *text, double *out, bool *binary)
{
	static const char units[] = "kmgt";
	double base;
	size_t n = digits(text);
	const char *unit = n && text[n] ? strchr(units, tolower(text[n])) : NULL;
	double scale = 1;

	if (power_of(text, out, &base))
		return true;
	if (!n || (text[n] && !unit))
		return false;
	*out = strtod(text, NULL);
	if (unit) {
		const char *rest = text + n + 1;
		bool thousands = !strcmp(rest, "B");

		if (*rest && !thousands && strcmp(rest, "iB"))
			return false;
		for (const char *u = units; u <= unit; u++)
			scale *= thousands ? 1000 : 1024;
		if (binary && !thousands)
			*binary = true;
	}
	*out *= scale;
	return fabs(*out) <= SWEEP_NUMBER_MAX;
}

/* @text and @typed are taken. */
static int add_value(struct sweep_param *p, char *text, char *typed, double number,
		     struct cdict_error *err)
{
	struct sweep_value *v = text && typed ? array_add(&p->values) : NULL;

	if (!v) {
		free(text);
		free(typed);
		return cdict_fail_nomem(err);
	}
	*v = (struct sweep_value){ text, typed, number };
	return 0;
}

/* A plain number without an exponent where it is whole: programs read 4096, but not 4K or 4.096e+03. */
static char *plain_number(double v)
{
	char *text;
	int n;

	if (fabs(v) < 9007199254740992.0 && v == nearbyint(v))
		n = asprintf(&text, "%.0f", v);
	else /* hide the rounding of steps: 0.1, not 0.10000000000000001 */
		n = asprintf(&text, "%.12g", v);
	return n < 0 ? NULL : text;
}

/* "64K", "0.5": the shortest exact form. */
static void put_number(struct sink *s, double v, bool binary)
{
	static const char units[] = "KMGT";
	int unit = -1;

	while (binary && unit < 3 && v >= 1024 && v == nearbyint(v) && fmod(v, 1024) == 0) {
		v /= 1024;
		unit++;
	}
	sink_printf(s, "%.10g", v);
	if (unit >= 0)
		sink_putc(s, units[unit]);
}

/* A value of a range; @binary: typed with units. */
static int add_number(struct sweep_param *p, double v, bool binary, struct cdict_error *err)
{
	char *typed;

	if (binary) {
		struct sink s;

		sink_to_memory(&s);
		put_number(&s, v, true);
		typed = sink_take(&s, NULL);
	} else {
		typed = plain_number(v);
	}
	return add_value(p, plain_number(v), typed, v, err);
}

/* Step or factor of a range. */
struct progress {
	bool times, binary;
	double by;
};

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

/* Derives the step from the values before: 1,2,4..16 doubles, 0,5..20 adds 5. */
static int guess_step(const struct sweep_param *p, double from, double to, const char *spec,
		      struct progress *out, struct cdict_error *err)
{
	size_t n = p->values.n;
	double a = n > 1 ? p->values.at[n - 2].number : NAN;
	double b = n ? p->values.at[n - 1].number : NAN;

	out->by = from <= to ? 1 : -1;
	if (!n)
		return 0;
	if (isnan(b) || (n > 1 && isnan(a)))
		return refuse(err, spec,
			      "follows a value that is not a number; add a step, as in 1..9:2");
	out->by = from - b;
	if (n == 1)
		return 0;
	out->times = a != 0 && b != 0 && close_to(b / a, from / b);
	if (out->times)
		out->by = b / a;
	else if (!close_to(b - a, from - b))
		return refuse(err, spec,
			      "does not continue the two values before it; add a step or a "
			      "factor, as in 1..9:2 or 1..64*2");
	return 0;
}

static int add_steps(struct sweep_param *p, const char *spec, double from, double to,
		     const struct progress *by, struct cdict_error *err)
{
	double slack = 1e-9 * (fabs(from) + fabs(to));
	bool up = from <= to;
	int rc = 0;

	if (by->times ? !(from > 0 && to > 0 && by->by > 0) || by->by == 1 || (by->by > 1) != up
		      : by->by == 0 || (by->by > 0) != up)
		return refuse(err, spec, "never ends");
	for (size_t i = 0; !rc; i++) {
		double v = by->times ? from * pow(by->by, (double)i) : from + (double)i * by->by;

		if (up ? v > to + slack : v < to - slack)
			break;
		if (p->values.n == SWEEP_VALUES_MAX)
			return refuse(err, spec, "has more than 10000 values");
		rc = add_number(p, v, by->binary, err);
	}
	return rc;
}

/* The base of 2^0..2^24 and 2^0..16M; 0: not a range of powers. False: two bases. */
static bool range_of_powers(const char *from, const char *to, double *base)
{
	double number, other;

	if (!power_of(from, &number, base))
		*base = 0;
	return !*base || !power_of(to, &number, &other) || *base == other;
}

/* "FROM..TO", "FROM..TO:STEP", "FROM..TO*FACTOR", "2^0..2^24". */
static int add_range(struct sweep_param *p, char *spec, char *dots, struct cdict_error *err)
{
	struct progress by = { 0 };
	char *end = dots + 2 + strcspn(dots + 2, ":*"), sign = *end;
	double from, to, base;
	bool numbers;
	int rc = 0;

	*dots = *end = '\0';
	numbers = sweep_number(spec, &from, &by.binary) && sweep_number(dots + 2, &to, &by.binary);
	numbers = numbers && range_of_powers(spec, dots + 2, &base);
	by.times = sign == '*';
	numbers = numbers && (!sign || sweep_number(end + 1, &by.by, NULL));
	*dots = '.';
	*end = sign;
	if (!numbers)
		return refuse(err, spec,
			      "is not a range of numbers, as in 1..9, 4K..1M*2 or 2^0..2^24");
	p->binary |= by.binary;
	if (base && sign != '*') {
		by.times = true;
		by.by = pow(base, sign ? fabs(by.by) : 1);
		by.by = from > to ? 1 / by.by : by.by;
	} else if (!sign) {
		rc = guess_step(p, from, to, spec, &by, err);
	} else if (sign == ':' && from > to) {
		by.by = -fabs(by.by);
	}
	return rc ? rc : add_steps(p, spec, from, to, &by, err);
}

static int add_item(struct sweep_param *p, char *item, struct cdict_error *err)
{
	char *dots = strstr(item, "..");
	double number, other;
	bool binary = false;

	/* a name may contain dots: ../file */
	if (dots &&
	    (isdigit((unsigned char)*item) || (*item == '-' && isdigit((unsigned char)item[1])) ||
	     sweep_number(dots + 2, &other, NULL)))
		return add_range(p, item, dots, err);
	if (p->values.n == SWEEP_VALUES_MAX)
		return refuse(err, item, "exceeds the limit of 10000 values");
	if (!sweep_number(item, &number, &binary))
		number = NAN;
	p->binary |= binary;
	/* numbers without a unit are passed unchanged: 007, 1e3 */
	return add_value(p,
			 isnan(number) || digits(item) == strlen(item) ? strdup(item)
								       : plain_number(number),
			 strdup(item), number, err);
}

static bool is_name(const char *name, size_t len)
{
	if (!len || len > 64 || !(isalpha((unsigned char)*name) || *name == '_'))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && !strchr("_-", name[i]))
			return false;
	}
	return true;
}

/* Print powers of two with units: 64K, not 65536. */
static bool all_powers(const struct sweep_param *p)
{
	double last = 0;
	int power;

	for (size_t i = 0; i < p->values.n; i++) {
		last = p->values.at[i].number;
		if (isnan(last) || frexp(last, &power) != 0.5)
			return false;
	}
	return last >= 1024;
}

int sweep_params_add(struct sweep_params *all, const char *spec, struct cdict_error *err)
{
	size_t len = strcspn(spec, "=");
	struct sweep_param *p;
	char *copy, *item, *rest;
	int rc = 0;

	if (!spec[len] || !is_name(spec, len))
		return refuse(err, spec, "is not NAME=VALUES, as in b=1,2,4..16M");
	for (size_t i = 0; i < all->all.n; i++) {
		if (!strncmp(all->all.at[i].name, spec, len) && !all->all.at[i].name[len])
			return refuse(err, spec, "repeats a parameter");
	}
	copy = strdup(spec + len + 1);
	p = copy ? array_add(&all->all) : NULL;
	if (p)
		p->name = strndup(spec, len);
	if (!p || !p->name) {
		free(copy);
		return cdict_fail_nomem(err);
	}
	for (item = rest = copy; !rc && rest;) {
		item = strsep(&rest, ",");
		rc = *item ? add_item(p, item, err) : refuse(err, spec, "has an empty value");
	}
	free(copy);
	p->binary |= !rc && all_powers(p);
	if (!rc && sweep_params_points(all) > SWEEP_RUNS_MAX)
		rc = refuse(err, spec, "gives more than a million combinations");
	return rc;
}

int sweep_params_texts(struct sweep_params *all, const char *name, const char *const *values,
		       size_t n, struct cdict_error *err)
{
	struct sweep_param *p = array_add(&all->all);
	int rc = 0;

	if (p)
		p->name = strdup(name);
	if (!p || !p->name)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_value(p, strdup(values[i]), strdup(values[i]), NAN, err);
	return rc;
}

void sweep_params_fini(struct sweep_params *p)
{
	for (size_t i = 0; i < p->all.n; i++) {
		struct sweep_param *one = &p->all.at[i];

		for (size_t k = 0; k < one->values.n; k++) {
			free(one->values.at[k].text);
			free(one->values.at[k].typed);
		}
		array_fini(&one->values);
		free(one->name);
	}
	array_fini(&p->all);
}

size_t sweep_params_points(const struct sweep_params *p)
{
	size_t n = 1;

	/* checked after each parameter; each has at most SWEEP_VALUES_MAX values */
	for (size_t i = 0; i < p->all.n; i++)
		n *= p->all.at[i].values.n;
	return n;
}

size_t sweep_params_index(const struct sweep_params *p, size_t i, size_t point)
{
	for (size_t k = p->all.n; --k > i;)
		point /= p->all.at[k].values.n;
	return point % p->all.at[i].values.n;
}

const struct sweep_value *sweep_params_at(const struct sweep_params *p, size_t i, size_t point)
{
	return &p->all.at[i].values.at[sweep_params_index(p, i, point)];
}

/* The parameter in "{name}" or "{name:text}" at @text, @len up to the brace's end; NULL: no parameter. */
static const struct sweep_value *value_in(const struct sweep_params *p, size_t point,
					  const char *text, size_t len, bool *typed)
{
	size_t name = strcspn(text, ":}") - 1;

	*typed = len == name + 1 + strlen(":text") && !memcmp(text + 1 + name, ":text", 5);
	for (size_t i = 0; i < p->all.n && (*typed || len == name + 1); i++) {
		if (strlen(p->all.at[i].name) == name && !memcmp(p->all.at[i].name, text + 1, name))
			return sweep_params_at(p, i, point);
	}
	return NULL;
}

char *sweep_params_replace(const struct sweep_params *p, size_t point, const char *text)
{
	struct sink s;

	sink_to_memory(&s);
	while (*text) {
		size_t plain = strcspn(text, "{"), len;
		const struct sweep_value *v;
		bool typed;

		sink_add(&s, text, plain);
		text += plain;
		if (!*text)
			break;
		len = strcspn(text, "}");
		v = text[len] ? value_in(p, point, text, len, &typed) : NULL;
		if (v) {
			sink_puts(&s, typed ? v->typed : v->text);
			text += len + 1;
		} else {
			sink_putc(&s, *text++);
		}
	}
	return sink_take(&s, NULL);
}

void sweep_params_show(struct sink *s, const struct sweep_param *p, size_t i)
{
	const struct sweep_value *v = &p->values.at[i];

	if (isnan(v->number))
		sink_puts(s, v->text);
	else
		put_number(s, v->number, p->binary);
}
