# SPDX-License-Identifier: GPL-2.0-only
# Writes the manual pages with the options of the commands' tables, as `cdict help COMMAND` prints them:
#   awk -v out=DIR -f manpages.awk HELP options.man PAGE...
# HELP has the help of all commands. The text of an option is the .TP paragraph in the page's OPTIONS; else that in options.man,
# which several pages share; else the help text. Pages of other things than a command are copied.

function fail(text) {
	print text >"/dev/stderr"
	failed = 1
	exit 1
}

function name_of(tag) {
	return match(tag, /\\-\\-[a-z\\-]+/) ? unescaped(substr(tag, RSTART + 4, RLENGTH - 4)) : ""
}
function unescaped(text) { gsub(/\\/, "", text); return text }
function escaped(text) { gsub(/-/, "\\-", text); return text }

# paragraph - the lines of .TP paragraphs, in text[name]
function paragraph(text) {
	if ($0 == ".TP") {
		name = ""
		tag = 1
	} else if (tag) {
		tag = 0
		name = name_of($0)
		if (name == "" || name in text)
			fail(FILENAME ":" FNR ": expected an option that has no paragraph yet: " $0)
		text[name] = ""
	} else {
		text[name] = text[name] $0 "\n"
	}
}

function heading(letter, name, arg,    done) {
	while (match(arg, /[A-Z]+(-[A-Z]+)*/)) {
		done = done substr(arg, 1, RSTART - 1) "\\fI" substr(arg, RSTART, RLENGTH) "\\fR"
		arg = substr(arg, RSTART + RLENGTH)
	}
	arg = escaped(done arg)
	return ".TP\n.BR " (letter == "" ? "" : "\\-" letter " \", \" ") "\\-\\-" escaped(name) \
		(arg == "" ? "" : " \"" (arg ~ /^\[=/ ? "" : " ") arg "\"") "\n"
}

# styled - @text with its options and quoted words bold, and the argument's names in italics
function styled(text, arg,    done, n, words, i, word) {
	gsub(/\\/, "\\e", text)
	arg = " " arg " FILE "
	n = split(text, words, " ")
	for (i = 1; i <= n; i++) {
		word = words[i]
		if (match(word, /^\(?--?[A-Za-z][-A-Za-z]*/)) {
			done = escaped(substr(word, 1, RLENGTH))
			sub(/\\-.*/, "\\fB&\\fR", done)
			word = done substr(word, RLENGTH + 1)
		} else if (word ~ /^[('"]*-/) {
			sub(/-/, "\\-", word)
		} else if (match(word, /[A-Z]+/) && arg ~ "[^A-Z]" substr(word, RSTART, RLENGTH) "[^A-Z]" &&
			   substr(word, RSTART - 1, RSTART > 1) substr(word, RSTART + RLENGTH, 1) !~ /[A-Za-z0-9_]/) {
			word = substr(word, 1, RSTART - 1) "\\fI" substr(word, RSTART, RLENGTH) "\\fR" substr(word, RSTART + RLENGTH)
		}
		words[i] = word
	}
	text = words[1]
	for (i = 2; i <= n; i++)
		text = text " " words[i]
	done = ""
	while (match(text, /(^|[ (])'[^']+'/)) {
		word = substr(text, RSTART, RLENGTH)
		done = done substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		gsub(/\\fB/, "", word)
		gsub(/\\fR/, "\\fB", word)
		sub(/'/, "\\fB", word)
		sub(/'$/, "\\fR", word)
		done = done word
	}
	return done text
}

# sentence - the help text @help, without its default, as a sentence
function sentence(help, arg) {
	help = styled(help, arg)
	return (help ~ /^[.']/ ? "\\&" : "") toupper(substr(help, 1, 1)) substr(help, 2) (help ~ /[^.]\.$/ ? "" : ".") "\n"
}

function default_of(value) {
	return value ~ /[a-z]/ && value !~ / / ? "Default:\n.BR " escaped(value) " .\n" : "Default: " styled(value) ".\n"
}

function put_options(    i, name, help, value, text) {
	for (i = 1; i <= n[command]; i++) {
		name = names[command, i]
		help = helps[command, i]
		value = ""
		if (match(help, / \(default: [^()]*\)/)) {
			value = substr(help, RSTART + 11, RLENGTH - 12)
			help = substr(help, 1, RSTART - 1) substr(help, RSTART + RLENGTH)
		}
		if (name in own) {
			text = own[name]
			delete own[name]
		} else if (name in shared) {
			text = shared[name]
			used[name] = 1
		} else {
			text = sentence(help, args[command, i])
		}
		if (value != "" && text !~ /[Dd]efault/)
			text = text default_of(value)
		printf "%s%s", heading(letters[command, i], name, args[command, i]), text >page
	}
	for (name in own)
		fail(source ": cdict " command " has no option --" name)
}

function finish() {
	if (part == "options")
		put_options()
	else if (part == "before")
		fail(source ": no .SH OPTIONS")
	part = ""
	close(page)
}

# ---- the help ----

FILENAME == ARGV[1] && /^usage: cdict / {
	command = $3
	part = ""
	n[command] = 0
}
FILENAME == ARGV[1] && /^(Options|Examples)$/ { part = $0 }
FILENAME == ARGV[1] && part == "Options" && /^  (-.,|   ) --/ {
	i = ++n[command]
	letters[command, i] = substr($0, 4, $1 ~ /^-.,$/)
	line = substr($0, 9)
	match(line, /^[a-z0-9-]+/)
	names[command, i] = substr(line, 1, RLENGTH)
	line = substr(line, RLENGTH + 1) "  "
	match(line, /  +/)
	args[command, i] = substr(line, 1 + (line ~ /^ /), RSTART > 1 ? RSTART - 1 - (line ~ /^ /) : 0)
	line = substr(line, RSTART + RLENGTH)
	sub(/ +$/, "", line)
	helps[command, i] = line
}
FILENAME == ARGV[1] && part == "Options" && /^        / {
	sub(/^ +/, "")
	helps[command, i] = helps[command, i] (helps[command, i] == "" ? "" : " ") $0
}
FILENAME == ARGV[1] { next }

# ---- the texts that pages share ----

FILENAME == ARGV[2] {
	if ($0 !~ /^\.\\"/)
		paragraph(shared)
	next
}

# ---- the pages ----

FNR == 1 {
	finish()
	source = FILENAME
	page = FILENAME
	sub(/.*\//, "", page)
	command = page
	sub(/^cdict-/, "", command)
	sub(/\.1$/, "", command)
	page = out "/" page
	part = command in n ? "before" : "copied"
	pages[command] = 1
	tag = 0
	name = ""
}
part == "options" && /^\.S[HS]/ {
	put_options()
	part = "after"
}
part == "options" && ($0 == ".TP" || tag || name != "") {
	paragraph(own)
	next
}
{ print >page }
part == "before" && $0 == ".SH OPTIONS" { part = "options" }

END {
	if (failed)
		exit 1
	finish()
	for (command in n)
		if (!(command in pages))
			fail("doc/cdict-" command ".1: no manual page of cdict " command)
	for (name in shared)
		if (!(name in used))
			fail(ARGV[2] ": no page uses the paragraph of --" name)
}
