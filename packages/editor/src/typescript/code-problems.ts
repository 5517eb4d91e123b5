import ts from 'typescript';
import type { Understanding } from './answers.ts';
import { isEmbedded, isTypedComponent } from './embedded-scripts.ts';
import type { Asked, CodeProblem } from './messages.ts';

/**
 * Said elsewhere, and better: a package or file that cannot be found is a problem of what runs, and
 * what is not known of a package's types is no mistake of who uses it.
 */
const leftOut: ReadonlySet<number> = new Set([
  // Cannot find module; could not find a declaration file for it.
  2307, 2792, 7016, 2882,
  // JSX without types of React.
  2875, 7026,
  // A file's ending, which the compiler here takes as it is.
  5097,
]);

/** No default export, no such export (of several kinds), and no module at all. */
const ofExports: ReadonlySet<number> = new Set([1192, 2305, 2306, 2613, 2614, 2724]);

/** Markup uses what a component's script does not: declared, or imported, and never read. */
const usedByMarkup: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 6199]);
/** Cannot find a name: what a component's compiler knows, such as `$store`. */
const notFound: ReadonlySet<number> = new Set([2304, 2552]);
const ofCompilers = /^(?:\$|define[A-Z]|withDefaults$)/;

/**
 * What is wrong with a file: its grammar, or if that is right, its types. Of components it is the types
 * alone, where they can be checked: their compilers tell of the grammar.
 */
export function findProblems(known: Understanding, { path }: Asked['problems']): CodeProblem[] {
  const file = known.find(path);
  if (!file) return [];
  const isChecked =
    !isEmbedded(file.fileName) || isTypedComponent(path, known.host.textOf(path) ?? '');
  if (!isChecked) return [];
  return readDiagnostics(known, file).flatMap((each) => toProblem(file, path, each) ?? []);
}

export function readDiagnostics({ service }: Understanding, file: ts.SourceFile): ts.Diagnostic[] {
  const isWithin = isEmbedded(file.fileName);
  const syntax = service.getSyntacticDiagnostics(file.fileName);
  if (syntax.length > 0) return isWithin ? [] : syntax;
  const found = service.getSemanticDiagnostics(file.fileName);
  return found.filter(
    (each) =>
      !leftOut.has(each.code) &&
      !(isWithin && isOfMarkup(each, file)) &&
      !(ofExports.has(each.code) && isOfBroken(service, file, each)),
  );
}

/** What a module exports cannot be told while it does not parse, which is told of that file. */
function isOfBroken(
  service: ts.LanguageService,
  file: ts.SourceFile,
  { start = 0 }: ts.Diagnostic,
): boolean {
  const statement = file.statements.find(({ pos, end }) => pos <= start && start < end);
  const specifier =
    statement && (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
      ? statement.moduleSpecifier
      : undefined;
  const [found] = specifier
    ? (service.getDefinitionAtPosition(file.fileName, specifier.getEnd() - 1) ?? [])
    : [];
  return found !== undefined && service.getSyntacticDiagnostics(found.fileName).length > 0;
}

function isOfMarkup({ code, start = 0, length = 0 }: ts.Diagnostic, file: ts.SourceFile): boolean {
  const name = file.text.slice(start, start + length);
  return usedByMarkup.has(code) || (notFound.has(code) && ofCompilers.test(name));
}

function toProblem(
  file: ts.SourceFile,
  path: string,
  diagnostic: ts.Diagnostic,
): CodeProblem | undefined {
  const { start, length = 0, category, code, messageText } = diagnostic;
  const isTold =
    category === ts.DiagnosticCategory.Error || category === ts.DiagnosticCategory.Warning;
  if (start === undefined || !isTold) return undefined;
  const from = ts.getLineAndCharacterOfPosition(file, start);
  const to = ts.getLineAndCharacterOfPosition(file, start + length);
  return {
    kind:
      (code < 2000 && !ofExports.has(code)) || (code >= 8000 && code < 9000) || code >= 17_000
        ? 'syntax'
        : 'type',
    from: start,
    to: start + length,
    path,
    line: from.line + 1,
    column: from.character + 1,
    endLine: to.line + 1,
    endColumn: to.character + 1,
    sentence: ts.flattenDiagnosticMessageText(messageText, '\n'),
    severity: category === ts.DiagnosticCategory.Error ? 'error' : 'warning',
    code,
  };
}
