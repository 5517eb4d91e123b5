import type { Diagnostic, LintSettings } from 'vscode-css-languageservice';
import type { RuleProblem } from '../lint/messages.ts';
import { placeProblems, type Said } from '../lint/rule-problem.ts';
import type { CodeFix } from '../typescript/messages.ts';
import type { MarkupAsked } from './messages.ts';
import type { ReadFile, Style } from './read-file.ts';
import type { Known } from './services.ts';

/** Longer texts are made by machines. */
const longestText = 300_000;
const toldAtMost = 100;

/** Tailwind’s at-rules are its own. */
const ofTailwind =
  /@(?:import|reference)\s+["']tailwindcss|@(?:tailwind|theme|apply|utility|variant)\b/;

/** Of CSS modules. */
const lint: LintSettings = { validProperties: ['composes'] };

/**
 * What VS Code’s service says of styles that ESLint cannot read: Sass, Less, and what is within
 * markup. A stylesheet in CSS is ESLint’s.
 */
export function findStyleProblems(
  known: Known,
  { path }: MarkupAsked['problems'],
): readonly RuleProblem[] {
  const file = known.files.find(path);
  if (!file || !isChecked(file)) return [];
  const said = file.styles
    .flatMap((style) => warningsOf(known, style).map((each) => toSaid(style, each)))
    .filter((each) => !isEmptyAttribute(file, each));
  const found = placeProblems(path, file.text, said.slice(0, toldAtMost));
  return found.map(({ suggestions: _suggestions, ...problem }) => problem);
}

/** `style=""` is read as a rule, whose beginning lies over the two characters in front. */
function isEmptyAttribute(file: ReadFile, { rule, from }: Said): boolean {
  return rule === 'emptyRules' && file.regionAt(from + 2)?.kind === 'declarations';
}

/** Names that are near those of properties that there are not. */
export function findStyleFixes(known: Known, at: MarkupAsked['fixes']): readonly CodeFix[] {
  const file = known.files.find(at.path);
  if (!file || !isChecked(file)) return [];
  return file.styles.flatMap((style) =>
    warningsOf(known, style)
      .filter((each) => touches(toSaid(style, each), at))
      .flatMap((each) => fixesOf(known, at.path, style, each)),
  );
}

function isChecked({ kind, isMarkup, path, text }: ReadFile): boolean {
  const isRead = isMarkup || (kind === 'style' && !path.endsWith('.css'));
  return isRead && text.length <= longestText && !ofTailwind.test(text);
}

function warningsOf({ styles }: Known, { dialect, document, sheet }: Style): Diagnostic[] {
  return styles[dialect].doValidation(document, sheet, { validate: true, lint }).filter(isWarning);
}

/** As the Language Server Protocol counts: 1 is an error, mostly of grammar, which the compiler tells. */
function isWarning({ severity }: Diagnostic): boolean {
  return severity === 2;
}

function toSaid({ document }: Style, { code, message, range }: Diagnostic): Said {
  return {
    rule: String(code),
    message,
    from: document.offsetAt(range.start),
    to: document.offsetAt(range.end),
    severity: 'warning',
  };
}

function touches({ from, to }: Said, at: MarkupAsked['fixes']): boolean {
  return from <= at.to && to >= at.from;
}

function fixesOf(
  { styles }: Known,
  path: string,
  { dialect, document, sheet }: Style,
  problem: Diagnostic,
): CodeFix[] {
  const actions = styles[dialect].doCodeActions2(
    document,
    problem.range,
    { diagnostics: [problem] },
    sheet,
  );
  return actions.flatMap(({ title, edit }) => {
    const [change] = edit?.documentChanges ?? [];
    if (!change || !('edits' in change)) return [];
    const edits = change.edits.flatMap((each) =>
      'newText' in each
        ? {
            from: document.offsetAt(each.range.start),
            to: document.offsetAt(each.range.end),
            insert: each.newText,
          }
        : [],
    );
    return { label: title.replaceAll("'", ''), files: [{ path, edits }] };
  });
}
