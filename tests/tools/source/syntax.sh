#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# syntax.sh CLANG CFLAGS...: checks the C files $FILES with clang, without generating code. clang's driver starts a process per file, which takes
# as long as the check: its front end checks many files at once.
set -euo pipefail
cd "$(dirname "$0")/../../.."

clang=$1
shift
[ -n "$FILES" ] || { echo "no files" >&2; exit 1; }
read -ra sources <<<"$FILES"
# The driver's command line, quoted for a shell; its last word is the file.
eval "command=($("$clang" "$@" -fsyntax-only -### "${sources[0]}" 2>&1 | grep '^ *"[^"]*" "-cc1" '))"
if [ ${#command[@]} -gt 2 ] && [ "${command[-1]}" = "${sources[0]}" ]; then
	unset 'command[-1]'
else
	command=("$clang" "$@" -fsyntax-only)
fi
printf '%s\n' "${sources[@]}" | xargs -P "${JOBS:-2}" -n 100 "${command[@]}"
echo "${#sources[@]} files were checked"
