#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs, on Debian, missing dependencies for building (setup.sh build) or also for testing (setup.sh test).
# Silent and quick when nothing is missing.  Without permission to install, it prints the command to run
# and exits with status 1.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Debian package, and a check whether its content is installed, from any source:
# cmd:PROGRAM, pkg:PKG-CONFIG NAME, file:PATH, lib:SHARED LIBRARY.
build_needs='
gcc                     cmd:gcc
libc6-dev               file:/usr/include/stdio.h
pkg-config              cmd:pkg-config
xz-utils                cmd:xz
zlib1g-dev              pkg:zlib
libtraceevent-dev       pkg:libtraceevent
libzstd-dev             pkg:libzstd
libcairo2-dev           pkg:cairo
libpcre2-dev            pkg:libpcre2-8
libcsv-dev              file:/usr/include/csv.h
libjansson-dev          pkg:jansson
libsqlite3-dev          pkg:sqlite3
libyaml-dev             pkg:yaml-0.1
libcurl4-gnutls-dev     pkg:libcurl
libhiredis-dev          pkg:hiredis
libexpat1-dev           pkg:expat
node-d3                 file:/usr/share/nodejs/d3/dist/d3.min.js
clang                   cmd:clang
lld                     cmd:wasm-ld
wasi-libc               file:/usr/include/wasm32-wasi/stdlib.h
libclang-rt-dev-wasm32  clang-rt:wasm32
libstb-dev              file:/usr/include/stb/stb_image.h
'
# Used if installed; zlib does the same, three times slower.
optional_needs='
libisal-dev             file:/usr/include/isa-l/igzip_lib.h
'
test_needs='
libcmocka-dev           pkg:cmocka
linux-perf              cmd:perf
zstd                    cmd:zstd
trace-cmd               cmd:trace-cmd
python3-msgpack         file:/usr/lib/python3/dist-packages/msgpack
python3-prometheus-client file:/usr/lib/python3/dist-packages/prometheus_client
chromium                cmd:chromium
firefox-esr             cmd:firefox-esr
nodejs                  cmd:node
node-typescript         file:/usr/share/nodejs/typescript/lib/typescript.js
poppler-utils           cmd:pdftotext
libxml2-utils           cmd:xmllint
libclang-rt-dev         clang-rt:fuzzer
clang-format            cmd:clang-format
procps                  cmd:ps
libvirt-dev             pkg:libvirt
libdw1                  lib:libdw.so.1
jq                      cmd:jq
git                     cmd:git
sqlite3                 cmd:sqlite3
redis-server            cmd:redis-server
redis-tools             cmd:redis-cli
libpfm4                 lib:libpfm.so.4
python3                 cmd:python3
python3-numpy           file:/usr/lib/python3/dist-packages/numpy
python3-pandas          file:/usr/lib/python3/dist-packages/pandas
python3-dask            file:/usr/lib/python3/dist-packages/dask
python3-distributed     file:/usr/lib/python3/dist-packages/distributed
python3-msgpack         file:/usr/lib/python3/dist-packages/msgpack
perl                    cmd:perl
groff-base              cmd:groff
mandoc                  cmd:mandoc
zsh                     cmd:zsh
fish                    cmd:fish
openssl                 cmd:openssl
valgrind                cmd:valgrind
time                    file:/usr/bin/time
'

is_there() {
	case $1 in
	cmd:*) command -v "${1#cmd:}" >/dev/null ;;
	pkg:*) pkg-config --exists "${1#pkg:}" 2>/dev/null ;;
	file:*) [ -e "${1#file:}" ] ;;
	lib:*) PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep "^[[:space:]]*${1#lib:} " ;;
	clang-rt:*) compgen -G "$(clang -print-resource-dir 2>/dev/null)/lib/*/libclang_rt.*${1#*:}*" ;;
	esac >/dev/null
}

libperf_is_there() {
	pkg-config --exists libperf 2>/dev/null || [ -e build/deps/lib/libperf.a ] ||
		compgen -G '/usr/src/linux-source-*.tar.xz' >/dev/null || compgen -G '/usr/src/linux-source-*.tar.bz2' >/dev/null
}

missing=()
needs=$build_needs$optional_needs
[ "${1-build}" = test ] && needs+=$test_needs
while read -r package check; do
	[ -z "$package" ] || is_there "$check" || missing+=("$package")
done <<<"$needs"
system=$(. /etc/os-release 2>/dev/null && echo "${ID-} ${VERSION_ID-}")
# linux-source-6.1 is from Debian 12; other releases have a similar package.
if ! libperf_is_there; then
	case $system in
	'debian 12') missing+=(linux-source-6.1) ;;
	ubuntu*) missing+=(linux-source bzip2) ;;
	*) missing+=(linux-source) ;;
	esac
fi

[ ${#missing[@]} -gt 0 ] || exit 0

# Checked before downloading.
case $system in
debian\ [1-9] | debian\ 1[01] | ubuntu\ 1* | ubuntu\ 2[0-3].*)
	echo "cdict: this is $(. /etc/os-release && echo "$PRETTY_NAME"), and building needs Debian 12 or Ubuntu 24.04, or later" \
		"(gcc 12, clang 14 with its wasm32 runtime, libtraceevent 1.7); what 'make static' gives there runs here" >&2
	exit 1
	;;
esac

as_root=()
install=(apt-get install -y --no-install-recommends "${missing[@]}")
refuse() {
	echo "cdict: $1; as root, run:" >&2
	echo "apt-get update && ${install[*]}" >&2
	exit 1
}

command -v apt-get >/dev/null || refuse "not installing ${missing[*]}: there is no apt-get"
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || refuse "not root, and there is no sudo"
	# Without a terminal a password prompt would hang.
	sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } || refuse "not root, and sudo refuses"
	as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt_get() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 \
		-o Acquire::Retries=3 "$@" >"$log" 2>&1 </dev/null || {
		cat "$log" >&2
		return 1
	}
}
apt_get update || refuse "apt-get update failed"

# Test dependencies that this system does not have are skipped with a message. Ubuntu's browsers are snaps.
known=()
for package in "${missing[@]}"; do
	if [ -n "$(LC_ALL=C apt-cache policy "$package" | sed -n 's/^  Candidate: //p' | grep -v '(none)')" ]; then
		known+=("$package")
	elif grep -q "^$package " <<<"$test_needs"; then
		echo "cdict: package $package is not available; tests that need it are skipped"
	elif grep -q "^$package " <<<"$optional_needs"; then
		echo "cdict: package $package is not available; cdict builds without it"
	else
		refuse "this system has no package $package"
	fi
done
missing=("${known[@]}")
[ ${#missing[@]} -gt 0 ] || exit 0
size=$(LC_ALL=C apt-get install --no-install-recommends --print-uris -y "${missing[@]}" 2>/dev/null |
	awk '/^\047/ { n += $3 } END { if (n) printf " (%.0f MB to download)", n / 1e6 }')
echo "cdict: installing ${missing[*]}$size"
apt_get install -y --no-install-recommends "${missing[@]}" || refuse "apt-get install failed"
