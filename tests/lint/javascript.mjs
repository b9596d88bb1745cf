// SPDX-License-Identifier: GPL-2.0-only
// Layout and mistakes of JavaScript, by the TypeScript compiler (Debian's node-typescript): its formatter keeps
// the lines as they were broken, its checker knows the browser's and node's names and finds unused ones.
//
//	node tests/lint/javascript.mjs layout|mistakes|fix FILE...
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';

const require = createRequire(import.meta.url);
const ts = require(process.env.TYPESCRIPT ?? '/usr/share/nodejs/typescript/lib/typescript.js');
const LAYOUT = {
	...ts.getDefaultFormatCodeSettings('\n'),
	indentSize: 8, tabSize: 8, convertTabsToSpaces: false, semicolons: 'insert',
	insertSpaceAfterFunctionKeywordForAnonymousFunctions: true,
};
const CHECKS = {
	allowJs: true, checkJs: true, noEmit: true, types: [], skipLibCheck: true,
	target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022,
	lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
	noUnusedLocals: true, noUnusedParameters: true, noImplicitReturns: true, noFallthroughCasesInSwitch: true,
	allowUnreachableCode: false, allowUnusedLabels: false,
};

/** The text of @file as it should be. */
function laidOut(file) {
	const text = readFileSync(file, 'utf8');
	const service = ts.createLanguageService({
		getCompilationSettings: () => CHECKS,
		getScriptFileNames: () => [file],
		getScriptVersion: () => '1',
		getScriptSnapshot: (name) => (name === file ? ts.ScriptSnapshot.fromString(text) : undefined),
		getCurrentDirectory: () => '/',
		getDefaultLibFileName: () => 'lib.d.ts',
		fileExists: () => false,
		readFile: () => undefined,
	});
	const edits = service.getFormattingEditsForDocument(file, LAYOUT).sort((a, b) => b.span.start - a.span.start);
	let out = text;

	for (const { span, newText } of edits)
		out = out.slice(0, span.start) + newText + out.slice(span.start + span.length);
	return { text, out: out.replace(/[ \t]+$/gm, '') };
}

function lineOf(a, b) {
	const [x, y] = [a.split('\n'), b.split('\n')];

	return 1 + x.findIndex((line, i) => line !== y[i]);
}

function layout(files, fix) {
	let wrong = 0;

	for (const file of files) {
		const { text, out } = laidOut(file);

		if (text === out)
			continue;
		if (fix) {
			writeFileSync(file, out);
			continue;
		}
		console.log(`${file}:${lineOf(text, out)}: is laid out otherwise (make format)`);
		wrong++;
	}
	return wrong;
}

function mistakes(files) {
	const paths = new Set(files.map((file) => resolve(file)));
	const program = ts.createProgram([...paths], CHECKS);
	const found = ts.getPreEmitDiagnostics(program).filter((d) => !d.file || paths.has(d.file.fileName));

	for (const d of found) {
		const at = d.file ? `${relative('.', d.file.fileName)}:${1 + d.file.getLineAndCharacterOfPosition(d.start).line}: ` : '';

		console.log(`${at}${ts.flattenDiagnosticMessageText(d.messageText, ' ')} (TS${d.code})`);
	}
	return found.length;
}

const [what, ...files] = process.argv.slice(2);

process.exitCode = (what === 'mistakes' ? mistakes(files) : layout(files, what === 'fix')) ? 1 : 0;
