export { checkDocument } from './check-document.ts';
export { checkScript, type ScriptKind, type SyntaxProblem } from './check-script.ts';
export { instrumentHtml, positionAt, type Runtime } from './instrument-html.ts';
