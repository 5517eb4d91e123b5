import ts from 'typescript';
import { isEmbeddedFile, isTypedComponent } from './embedded-scripts.ts';
import type { LanguageParams, CodeDiagnostic } from './messages.ts';
import type { TypeScriptContext } from './typescript-context.ts';

/**
 * Diagnostics left out: a missing package or file is reported by the compiler, and missing types of
 * a package are not a mistake of the user.
 */
const ignoredCodes: ReadonlySet<number> = new Set([
  // Cannot find a module; could not find its declaration file, or that of a reference.
  2307, 2792, 7016, 2882, 2688,
  // JSX without React's types.
  2875, 7026,
  // A `.ts` extension in an import, which the compiler here accepts.
  5097,
]);

/** No default export, no such export (several codes), and not a module. */
const missingExportCodes: ReadonlySet<number> = new Set([1192, 2305, 2306, 2613, 2614, 2724]);

/** Unused variables and imports: a component's template may use them. */
const unusedCodes: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 6199]);
/** Cannot find a name, which a component's compiler may define, such as `$store`. */
const missingNameCodes: ReadonlySet<number> = new Set([2304, 2552]);
const compilerGlobals = /^(?:\$|define[A-Z]|withDefaults$)/;

/**
 * Finds a file's syntax errors, or if there are none, its type errors. For components only type
 * errors, and only if their scripts can be type-checked: their compilers report syntax errors.
 */
export function findCodeDiagnostics(
  context: TypeScriptContext,
  { path }: LanguageParams['problems'],
): CodeDiagnostic[] {
  const file = context.findSourceFile(path);
  if (!file) return [];
  const isChecked =
    !isEmbeddedFile(file.fileName) || isTypedComponent(path, context.host.findText(path) ?? '');
  if (!isChecked) return [];
  return listTypeScriptDiagnostics(context, file).flatMap(
    (each) => toDiagnostic(file, path, each) ?? [],
  );
}

/** Lists TypeScript's diagnostics of a file without those left out. */
export function listTypeScriptDiagnostics(
  { service }: TypeScriptContext,
  file: ts.SourceFile,
): ts.Diagnostic[] {
  const isInMarkup = isEmbeddedFile(file.fileName);
  const syntax = service.getSyntacticDiagnostics(file.fileName);
  if (syntax.length > 0) return isInMarkup ? [] : syntax;
  const found = service.getSemanticDiagnostics(file.fileName);
  return found.filter(
    (each) =>
      !ignoredCodes.has(each.code) &&
      !(isInMarkup && isFalseInMarkup(each, file)) &&
      !(missingExportCodes.has(each.code) && isFromBrokenModule(service, file, each)),
  );
}

/**
 * True for a missing export of a module that has syntax errors: its exports are unknown, and it has
 * a diagnostic of its own.
 */
function isFromBrokenModule(
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

function isFalseInMarkup(
  { code, start = 0, length = 0 }: ts.Diagnostic,
  file: ts.SourceFile,
): boolean {
  const name = file.text.slice(start, start + length);
  return unusedCodes.has(code) || (missingNameCodes.has(code) && compilerGlobals.test(name));
}

function toDiagnostic(
  file: ts.SourceFile,
  path: string,
  diagnostic: ts.Diagnostic,
): CodeDiagnostic | undefined {
  const { start, length = 0, category, code, messageText } = diagnostic;
  const isReported =
    category === ts.DiagnosticCategory.Error || category === ts.DiagnosticCategory.Warning;
  if (start === undefined || !isReported) return undefined;
  const from = ts.getLineAndCharacterOfPosition(file, start);
  const to = ts.getLineAndCharacterOfPosition(file, start + length);
  return {
    kind:
      (code < 2000 && !missingExportCodes.has(code)) ||
      (code >= 8000 && code < 9000) ||
      code >= 17_000
        ? 'syntax'
        : 'type',
    from: start,
    to: start + length,
    path,
    line: from.line + 1,
    column: from.character + 1,
    endLine: to.line + 1,
    endColumn: to.character + 1,
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    severity: category === ts.DiagnosticCategory.Error ? 'error' : 'warning',
    code,
  };
}
