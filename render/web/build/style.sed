# SPDX-License-Identifier: GPL-2.0-only
# Removes from a style sheet what only helps readers: comments on a line of their own but the first, spaces. No text in the sources has ", " or ": ".
2,$s|/\*[^*]*\*/||
s/\r//g
s/^[ \t]+//
s/ *([{};,]) +/\1/g
1!s/: /:/g
s/ \{/{/g
s/;\}/}/g
/^$/d
