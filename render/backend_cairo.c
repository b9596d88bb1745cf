/* SPDX-License-Identifier: GPL-2.0-only */
/* PNG and PDF, by cairo. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <cairo-pdf.h>
#include <cairo.h>

#include "base/fail.h"
#include "base/shared_object.h"
#include "render/backend.h"

/* Cairo's functions, once load() gave 0, under their own names. */
#define CAIRO(X)                                                                                   \
	X(clip)                                                                                    \
	X(create)                                                                                  \
	X(destroy)                                                                                 \
	X(fill)                                                                                    \
	X(image_surface_create)                                                                    \
	X(line_to)                                                                                 \
	X(move_to)                                                                                 \
	X(paint)                                                                                   \
	X(pdf_surface_create_for_stream)                                                           \
	X(pdf_surface_set_metadata)                                                                \
	X(rectangle)                                                                               \
	X(restore)                                                                                 \
	X(save)                                                                                    \
	X(scale)                                                                                   \
	X(select_font_face)                                                                        \
	X(set_font_size)                                                                           \
	X(set_line_width)                                                                          \
	X(set_source_rgba)                                                                         \
	X(show_page)                                                                               \
	X(show_text)                                                                               \
	X(status)                                                                                  \
	X(status_to_string)                                                                        \
	X(stroke)                                                                                  \
	X(surface_destroy)                                                                         \
	X(surface_finish)                                                                          \
	X(surface_status)                                                                          \
	X(surface_write_to_png_stream)                                                             \
	X(text_extents)

static struct {
#define X(name) __typeof__ (&(cairo_##name))(name);
	CAIRO(X)
#undef X
} cairo;

static int load(struct cdict_error *err)
{
	static const char *const names[] = { "libcairo.so.2", NULL };
	static const struct shared_function functions[] = {
#define X(name) { "cairo_" #name, &cairo.name },
		CAIRO(X)
#undef X
	};
	static struct shared_object so = {
		.use = "PNG and PDF are drawn by cairo",
		.package = "libcairo2",
		.names = names,
		.functions = functions,
		.n = sizeof(functions) / sizeof(functions[0]),
	};

	return shared_object_load(&so, err);
}

#define cairo_clip cairo.clip
#define cairo_create cairo.create
#define cairo_destroy cairo.destroy
#define cairo_fill cairo.fill
#define cairo_image_surface_create cairo.image_surface_create
#define cairo_line_to cairo.line_to
#define cairo_move_to cairo.move_to
#define cairo_paint cairo.paint
#define cairo_pdf_surface_create_for_stream cairo.pdf_surface_create_for_stream
#define cairo_pdf_surface_set_metadata cairo.pdf_surface_set_metadata
#define cairo_rectangle cairo.rectangle
#define cairo_restore cairo.restore
#define cairo_save cairo.save
#define cairo_scale cairo.scale
#define cairo_select_font_face cairo.select_font_face
#define cairo_set_font_size cairo.set_font_size
#define cairo_set_line_width cairo.set_line_width
#define cairo_set_source_rgba cairo.set_source_rgba
#define cairo_show_page cairo.show_page
#define cairo_show_text cairo.show_text
#define cairo_status cairo.status
#define cairo_status_to_string cairo.status_to_string
#define cairo_stroke cairo.stroke
#define cairo_surface_destroy cairo.surface_destroy
#define cairo_surface_finish cairo.surface_finish
#define cairo_surface_status cairo.surface_status
#define cairo_surface_write_to_png_stream cairo.surface_write_to_png_stream
#define cairo_text_extents cairo.text_extents

/* PDF's unit is 1/72 inch, ours a 96th. */
#define PDF_SCALE 0.75

static cairo_status_t to_sink(void *closure, const unsigned char *data, unsigned int size)
{
	struct sink *s = closure;

	sink_add(s, data, size);
	return s->error ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static void use(cairo_t *cr, enum palette_theme theme, struct ink ink, double alpha)
{
	struct palette_rgb c = palette_colour(theme, ink);

	cairo_set_source_rgba(cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, alpha);
}

static void hatch(cairo_t *cr, enum palette_theme theme, const struct mark *m)
{
	cairo_save(cr);
	cairo_rectangle(cr, m->x, m->y, m->w, m->h);
	cairo_clip(cr);
	use(cr, theme, m->ink, 0.55);
	cairo_set_line_width(cr, 3);
	/* stripes 7 apart, anchored to the paper so that neighbours continue each other */
	for (double d = floor((m->x + m->y) / 9.9) * 9.9; d < m->x + m->w + m->y + m->h + 10;
	     d += 9.9) {
		cairo_move_to(cr, d - m->y + 1, m->y - 1);
		cairo_line_to(cr, d - m->y - m->h - 1, m->y + m->h + 1);
	}
	cairo_stroke(cr);
	cairo_restore(cr);
}

static void text(cairo_t *cr, const struct mark *t)
{
	struct canvas c = canvas_pixels(0, 0);
	bool bold = t->size == MARK_TITLE || t->size == MARK_STRONG;
	cairo_text_extents_t ext;
	double x = t->x;

	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, canvas_font(&c, t->size));
	if (t->anchor != MARK_START) {
		cairo_text_extents(cr, t->text, &ext);
		x -= t->anchor == MARK_END ? ext.x_advance : ext.x_advance / 2;
	}
	cairo_move_to(cr, x, t->y + 0.36 * canvas_font(&c, t->size));
	cairo_show_text(cr, t->text);
}

static void marks(cairo_t *cr, const struct marks *m, enum palette_theme theme)
{
	use(cr, theme, (struct ink){ INK_PAPER, 0 }, 1);
	cairo_paint(cr);
	cairo_set_line_width(cr, 1);
	for (size_t i = 0; i < m->all.n; i++) {
		const struct mark *mark = &m->all.at[i];

		use(cr, theme, mark->ink, 1);
		switch (mark->kind) {
		case MARK_RECT:
			cairo_rectangle(cr, mark->x, mark->y, mark->w, mark->h);
			cairo_fill(cr);
			break;
		case MARK_LINE:
			cairo_move_to(cr, mark->x, mark->y);
			cairo_line_to(cr, mark->x + mark->w, mark->y + mark->h);
			cairo_stroke(cr);
			break;
		case MARK_HATCH:
			hatch(cr, theme, mark);
			break;
		case MARK_TEXT:
			text(cr, mark);
			break;
		}
	}
}

/* What cairo thinks of it; takes both. */
static int finish(cairo_t *cr, cairo_surface_t *surface, cairo_status_t status,
		  struct cdict_error *err)
{
	if (!status)
		status = cairo_status(cr);
	cairo_destroy(cr);
	cairo_surface_finish(surface);
	if (!status)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	/* a write error is the sink's to tell */
	if (!status || status == CAIRO_STATUS_WRITE_ERROR)
		return 0;
	return cdict_fail(err, status == CAIRO_STATUS_NO_MEMORY ? -ENOMEM : CDICT_ELIMIT,
			  CDICT_NO_OFFSET, "cannot draw the picture: %s",
			  cairo_status_to_string(status));
}

static int draw_png(const struct marks *m, const struct backend_options *opts, struct sink *out,
		    struct cdict_error *err)
{
	cairo_surface_t *surface;
	cairo_status_t status;
	cairo_t *cr;
	int ret = load(err);

	if (ret)
		return ret;
	surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(m->width),
					     (int)ceil(m->height));
	cr = cairo_create(surface);
	marks(cr, m, opts->theme);
	status = cairo_status(cr);
	if (!status)
		status = cairo_surface_write_to_png_stream(surface, to_sink, out);
	return finish(cr, surface, status, err);
}

static int draw_pdf(const struct marks *m, const struct backend_options *opts, struct sink *out,
		    struct cdict_error *err)
{
	time_t at = (time_t)m->made_at_s;
	cairo_surface_t *surface;
	char date[32] = "";
	struct tm tm;
	cairo_t *cr;
	int ret = load(err);

	if (ret)
		return ret;
	surface = cairo_pdf_surface_create_for_stream(to_sink, out, m->width * PDF_SCALE,
						      m->height * PDF_SCALE);
	/* the capture's date, not today's: the same input gives the same bytes */
	if (gmtime_r(&at, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
	if (m->title)
		cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, m->title);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "cdict");
	cr = cairo_create(surface);
	cairo_scale(cr, PDF_SCALE, PDF_SCALE);
	marks(cr, m, opts->theme);
	cairo_show_page(cr);
	return finish(cr, surface, CAIRO_STATUS_SUCCESS, err);
}

const struct backend backend_png = { .name = "png", .ending = ".png", .draw = draw_png };
const struct backend backend_pdf = { .name = "pdf", .ending = ".pdf", .draw = draw_pdf };
