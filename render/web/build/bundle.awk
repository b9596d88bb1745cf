# SPDX-License-Identifier: GPL-2.0-only
# Joins ES modules into one script: awk -f bundle.awk -v entry=render/web/main.js
#
# Every module becomes a function, called once, in the order of the imports; it returns an object
# with its exports.  doc/page.md, "Modules", describes the supported subset.
# Any other import or export stops the build.

function fail(file, line, text) {
	printf "%s:%d: %s\n", file, line, text >"/dev/stderr"
	failed = 1
	exit 1
}

# "a/b/c.js" and "../x.js" -> "a/x.js"
function resolve(from, path,    dir) {
	dir = from
	sub(/[^\/]*$/, "", dir)
	while (path ~ /^\.\.?\//) {
		if (path ~ /^\.\.\//)
			sub(/[^\/]*\/$/, "", dir)
		sub(/^\.\.?\//, "", path)
	}
	return dir path
}

# "a, b as c" -> "a, b: c"
function destructure(names) {
	gsub(/[ \t\n]+as[ \t\n]+/, ": ", names)
	return names
}

# "f, C as D" -> "f, D: C"
function exported(list,    n, i, part, out, two) {
	n = split(list, part, ",")
	for (i = 1; i <= n; i++) {
		gsub(/^[ \t\n]+|[ \t\n]+$/, "", part[i])
		if (part[i] == "")
			continue
		if (split(part[i], two, /[ \t\n]+as[ \t\n]+/) == 2)
			part[i] = two[2] ": " two[1]
		out = out (out == "" ? "" : ", ") part[i]
	}
	return out
}

# Whether "const a = 1, b = 2" has a comma outside of strings and brackets; brackets may stay open.
function has_second(text) {
	gsub(/'[^']*'|"[^"]*"|`[^`]*`/, "", text)
	sub(/\/\/.*$/, "", text)
	while (gsub(/\([^()]*\)|\[[^][]*\]|\{[^{}]*\}/, "", text))
		;
	sub(/[[({].*$/, "", text)
	return text ~ /,/
}

# Translates one import statement.
function import_of(file, line, text,    names, path, id) {
	if (text !~ /^import[ \t\n]*(\{[^}]*\}|\* as [A-Za-z0-9_$]+)[ \t\n]*from[ \t\n]*'\.[^']*\.js';[ \t]*$/)
		fail(file, line, "this import is none that render/web/build/bundle.awk knows: " text)
	path = text
	sub(/^[^']*'/, "", path)
	sub(/'.*$/, "", path)
	id = visit(resolve(file, path))
	names = text
	if (text ~ /^import[ \t\n]*\*/) {
		sub(/^import[ \t\n]*\*[ \t\n]*as[ \t\n]*/, "", names)
		sub(/[ \t\n].*$/, "", names)
		return "const " names " = module" id ";"
	}
	sub(/^[^{]*\{/, "", names)
	sub(/\}.*$/, "", names)
	return "const {" destructure(names) "} = module" id ";"
}

# Removes spaces that only help readers from code without strings.
function thin_code(text) {
	gsub(/, /, ",", text)
	gsub(/ = /, "=", text)
	gsub(/ === /, "===", text)
	gsub(/ !== /, "!==", text)
	gsub(/ => /, "=>", text)
	gsub(/ && /, "\\&\\&", text)
	gsub(/ \|\| /, "||", text)
	gsub(/ \?\? /, "??", text)
	gsub(/ \? /, "?", text)
	gsub(/ : /, ":", text)
	gsub(/: /, ":", text)
	gsub(/ \* /, "*", text)
	gsub(/ >= /, ">=", text)
	gsub(/ <= /, "<=", text)
	gsub(/ > /, ">", text)
	gsub(/ \+= /, "+=", text)
	gsub(/ -= /, "-=", text)
	gsub(/ < /, "<", text)
	gsub(/ \/ /, "/", text)
	# not a + +b and a - -b
	if (text !~ / \+ \+/)
		gsub(/ \+ /, "+", text)
	if (text !~ / - -/)
		gsub(/ - /, "-", text)
	gsub(/\{ /, "{", text)
	gsub(/ \}/, "}", text)
	gsub(/\) \{/, "){", text)
	gsub(/; /, ";", text)
	gsub(/if \(/, "if(", text)
	gsub(/for \(/, "for(", text)
	gsub(/while \(/, "while(", text)
	gsub(/\} else/, "}else", text)
	gsub(/else \{/, "else{", text)
	gsub(/return \[/, "return[", text)
	gsub(/return \(/, "return(", text)
	return text
}

# Whether code may hold a regular expression or a comment: a slash that is no division.
function slashed(code) {
	gsub(/ \/ /, "", code)
	return code ~ /\//
}

# The same for a line, and its comments. Strings stay; so does a line with a regular expression, or one template in another.
function thin(text,    out, code, mark, end, templates, rest) {
	gsub(/\/\*\* @type \{[^`'"]*\} \*\/ ?/, "", text)
	sub(/[;{,] \/\/ [^`'"]*$/, substr(text, match(text, /[;{,] \/\/ [^`'"]*$/), 1), text)
	rest = text
	templates = gsub(/`/, "`", rest)
	if (templates > 2 || text ~ /\\/)
		return text
	rest = text
	while (match(rest, /['"`]/)) {
		code = substr(rest, 1, RSTART - 1)
		mark = substr(rest, RSTART, 1)
		rest = substr(rest, RSTART + 1)
		end = index(rest, mark)
		if (!end || slashed(code))
			return text
		out = out thin_code(code) mark substr(rest, 1, end)
		rest = substr(rest, end + 1)
	}
	return slashed(rest) ? text : out thin_code(rest)
}

# Reads @file and its imports; returns its number.  The remaining parameters are locals.
function visit(file,    id, text, line, whole, out, names, name, got, read, remark) {
	if (file in number) {
		if (number[file] == 0)
			fail(file, 1, "is imported in a circle")
		return number[file]
	}
	number[file] = 0
	while ((got = (getline text <file)) > 0) {
		line++
		read = line
		if (text ~ /<\/script|<!--/ || text ~ /\r/)
			fail(file, line, "holds </script, <!-- or a carriage return: no inline script may")
		if (text ~ /^import[ \t{*]/ || text ~ /^export[ \t]*\{/) {
			whole = text
			while (whole !~ /;/ && (getline text <file) > 0) {
				line++
				whole = whole "\n" text
			}
			if (whole ~ /^import/) {
				gsub(/\n/, " ", whole)
				text = import_of(file, read, whole)
			} else {
				if (whole !~ /^export[ \t]*\{[^}]*\};[ \t]*$/)
					fail(file, read, "this export is none that render/web/build/bundle.awk knows")
				sub(/^[^{]*\{/, "", whole)
				sub(/\}.*$/, "", whole)
				name = exported(whole)
				names = names (names == "" || name == "" ? "" : ", ") name
				text = ""
			}
		} else if (text ~ /^export[ \t]/) {
			if (text !~ /^export (async function\*?|function\*?|class|const) *[A-Za-z_$]/)
				fail(file, line, "this export is none that render/web/build/bundle.awk knows: " text)
			sub(/^export /, "", text)
			name = text
			sub(/^(async function\*?|function\*?|class|const) */, "", name)
			match(name, /^[A-Za-z0-9_$]+/)
			# const a = 1, b = 2: the second would not be exported
			if (text ~ /^const/ && has_second(text))
				fail(file, line, "one name an export, for render/web/build/bundle.awk: " text)
			name = substr(name, RSTART, RLENGTH)
			names = names (names == "" ? "" : ", ") name
		} else if (text ~ /^import[ \t]*['(]/ || text ~ /[^A-Za-z0-9_$.'`]import\.meta/) {
			fail(file, line, "this import is none that render/web/build/bundle.awk knows: " text)
		}
		# drop indentation and comment-only lines (no string in the sources spans lines)
		sub(/^[ \t]+/, "", text)
		if (text ~ /^\/\*/ && text !~ /\*\//)
			remark = 1
		if (!remark && text !~ /^(\/\/|\/\*.*\*\/$|$)/)
			out = out thin(text) "\n"
		if (text ~ /\*\/$/)
			remark = 0
	}
	if (got < 0 || !line)
		fail(file, line, "cannot be read, or is empty")
	close(file)
	id = number[file] = ++modules
	gsub(/, /, ",", names)
	printf "const module%d=(()=>{ // %s\n%sreturn{%s};\n})();\n", id, file, out, names
	return id
}

BEGIN {
	if (entry == "")
		fail("bundle.awk", 0, "needs -v entry=FILE")
	print "// SPDX-License-Identifier: GPL-2.0-only\n(function () {\n'use strict';"
	visit(entry)
	if (!failed)
		print "})();"
}
