#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: a program without the sanitizer loads the library
# `make install` writes only below its prefix, without debug information; the installed libcdict, shared and static, exports only
# its own names; `make uninstall` removes everything. The tarball of `make dist` has the files that git tracks.
set -u
. "$TOP/tests/oracle/_lib.sh"

cd "$(mktemp -d)" || exit 1
quiet() { MAKEFLAGS='' make -s -C "$TOP" B="${BUILD#"$TOP/"}" "$@" >make.out 2>&1 || cat make.out; }
PATH=$PWD/path:$PATH
mkdir path # a perf whose folder is elsewhere
printf '#!/bin/sh\necho /elsewhere/perf-core\n' >path/perf && chmod +x path/perf

root=$PWD/root
wrong=$(quiet install-built prefix=/opt/cdict DESTDIR="$root")
wrong+=$(find "$root" -not -type d -not -path "$root/opt/cdict/*")
for file in bin/cdict lib/libcdict.so.0 lib/cdict/cdict-dlfilter.so lib/cdict_sqlite.so lib/perf-core/dlfilters/cdict-dlfilter.so share/man/man1/cdict.1 \
	share/man/man3/libcdict.3 share/man/man5/cdict.5 share/man/man7/cdict-openstack.7 lib/pkgconfig/cdict.pc include/cdict/reader.h lib/python3/dist-packages/cdict/__init__.py \
	share/bash-completion/completions/cdict share/zsh/site-functions/_cdict share/fish/vendor_completions.d/cdict.fish \
	share/doc/cdict/guide.md share/doc/cdict/pictures/switches.svg share/cdict/grafana.json; do
	[ -s "$root/opt/cdict/$file" ] || [ -L "$root/opt/cdict/$file" ] || wrong+=" $file is not there"
done
verdict make_install_writes_below_its_prefix_only "$wrong"

cd "$root/opt/cdict" 2>/dev/null || exit 1
verdict installed_files_have_no_debug_information "$(for file in bin/cdict lib/libcdict.so.0 lib/cdict/cdict-dlfilter.so lib/libcdict.a; do
	readelf -SW "$file" | grep -q ' \.debug_info' && echo "$file has"
done)"
listed=$(sed -n 's/^\t\(cdict_[a-z0-9_]*\);$/\1/p' "$TOP/format/libcdict.map" | sort)
verdict the_static_library_has_no_other_names_than_the_shared_one \
	"$(diff <(nm -g --defined-only lib/libcdict.a | awk 'NF == 3 { print $3 }' | sort) <(echo "$listed") | head)"

cat >use.c <<'END'
#include <stdio.h>
#include <cdict/version.h>
#include <cdict/error.h>
const char *buf_u8(void) { return cdict_strerror(CDICT_EFORMAT); } /* a name of ours inside */
int main(void) { return printf("%s %s\n", cdict_version(), buf_u8()) < 0; }
END
verdict a_program_links_with_the_static_library \
	"$({ ${CC:-cc} -Iinclude use.c lib/libcdict.a -lz -lm -ldl -pthread -o use && ./use | grep -q '^[0-9]'; } 2>&1 || echo "it does not")"
rm -f use use.c
cd "$OLDPWD" || exit 1
wrong=$(quiet uninstall prefix=/opt/cdict DESTDIR="$root")
verdict make_uninstall_takes_all_away "$wrong$(find "$root" -not -type d)"

if [ -z "$(git -C "$TOP" rev-parse --show-cdup 2>/dev/null)" ] && git -C "$TOP" rev-parse HEAD >/dev/null 2>&1; then
	(cd "$TOP" && doc/packaging/dist.sh 0.0.1 "$OLDPWD/x.tar.xz" >/dev/null)
	(cd "$TOP" && git ls-files && echo cdict.spec) | sed 's,^,cdict-0.0.1/,' | sort >want
	tar -tf x.tar.xz | sort | diff - want >differ
	verdict the_tarball_holds_what_git_knows "$(head differ; tar -xOf x.tar.xz cdict-0.0.1/cdict.spec | grep -q '^Version: *0.0.1$' || echo "no version in the spec")"
	mkdir bare && tar -C bare -xf x.tar.xz
	(cd bare/cdict-0.0.1 && GIT_CEILING_DIRECTORIES=$PWD/.. doc/packaging/dist.sh 0.0.1 "$OLDPWD/z.tar.xz" >/dev/null)
	verdict a_tarball_of_the_tarball_holds_the_same "$(diff <(tar -tf z.tar.xz | sort) want | head)"
	# rpmbuild -t wants one
	verdict the_tarball_has_one_spec "$(tar -tf x.tar.xz | grep '\.spec$' | sed 1d)"
else
	skip the_tarball "this is not a checkout of git"
fi
