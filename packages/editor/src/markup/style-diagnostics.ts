import type { Diagnostic, LintSettings } from 'vscode-css-languageservice';
import type { LintDiagnostic } from '../lint/messages.ts';
import { locateMessages, type LinterMessage } from '../lint/lint-diagnostics.ts';
import { findStrayBrace } from '../lint/stray-brace.ts';
import type { CodeAction } from '../typescript/messages.ts';
import type { MarkupParams } from './messages.ts';
import type { MarkupFile, ParsedStyle } from './markup-file.ts';
import type { MarkupContext } from './services.ts';

/** Longer texts are generated. */
const maxTextLength = 300_000;
const maxDiagnostics = 100;

/** Tailwind's at-rules are not known to the CSS language service. */
const tailwindSyntax =
  /@(?:import|reference)\s+["']tailwindcss|@(?:tailwind|theme|apply|utility|variant)\b/;

/** The `composes` property of CSS modules. */
const lintSettings: LintSettings = { validProperties: ['composes'] };

/**
 * Lints styles that ESLint cannot read, with VS Code's CSS language service: SCSS, Less, and styles
 * in markup. Plain CSS files are left to ESLint.
 */
export function lintStyles(
  context: MarkupContext,
  { path }: MarkupParams['problems'],
): readonly LintDiagnostic[] {
  const file = context.files.find(path);
  if (!file || !isLinted(file)) return [];
  const messages = file.styles
    .flatMap((style) => [
      ...(style.dialect === 'css' ? findStrayBrace(style.document.getText()) : []),
      ...listWarnings(context, style).map((each) => toLintMessage(style, each)),
    ])
    .filter((each) => !isEmptyAttribute(file, each));
  const diagnostics = locateMessages(path, file.text, messages.slice(0, maxDiagnostics));
  return diagnostics.map(({ suggestions: _suggestions, ...problem }) => problem);
}

/**
 * True for the message about an empty rule in `style=""`. The rule starts two characters before the
 * value.
 */
function isEmptyAttribute(file: MarkupFile, { rule, from }: LinterMessage): boolean {
  return rule === 'emptyRules' && file.findRegionAt(from + 2)?.kind === 'declarations';
}

/** Quick fixes for misspelled properties. */
export function listStyleQuickFixes(
  context: MarkupContext,
  at: MarkupParams['fixes'],
): readonly CodeAction[] {
  const file = context.files.find(at.path);
  if (!file || !isLinted(file)) return [];
  return file.styles.flatMap((style) =>
    listWarnings(context, style)
      .filter((each) => overlaps(toLintMessage(style, each), at))
      .flatMap((each) => listFixes(context, at.path, style, each)),
  );
}

function isLinted({ kind, isMarkup, path, text }: MarkupFile): boolean {
  const isSupported = isMarkup || (kind === 'style' && /\.(?:scss|less)$/.test(path));
  return isSupported && text.length <= maxTextLength && !tailwindSyntax.test(text);
}

function listWarnings(
  { styleServices }: MarkupContext,
  { dialect, document, sheet }: ParsedStyle,
): Diagnostic[] {
  return styleServices[dialect]
    .doValidation(document, sheet, { validate: true, lint: lintSettings })
    .filter(isWarning);
}

/** True for warnings. Errors are mostly syntax errors, which the compiler reports. */
function isWarning({ severity }: Diagnostic): boolean {
  return severity === 2;
}

function toLintMessage(
  { document }: ParsedStyle,
  { code, message, range }: Diagnostic,
): LinterMessage {
  return {
    rule: String(code),
    message,
    from: document.offsetAt(range.start),
    to: document.offsetAt(range.end),
    severity: 'warning',
  };
}

function overlaps({ from, to }: LinterMessage, at: MarkupParams['fixes']): boolean {
  return from <= at.to && to >= at.from;
}

function listFixes(
  { styleServices }: MarkupContext,
  path: string,
  { dialect, document, sheet }: ParsedStyle,
  problem: Diagnostic,
): CodeAction[] {
  const actions = styleServices[dialect].doCodeActions2(
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
