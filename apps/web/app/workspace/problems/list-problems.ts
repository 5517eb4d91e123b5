import type { CodeDiagnostic } from '@vitrine/editor/language-service';
import type { LintDiagnostic } from '@vitrine/editor/lint-client';
import type { PackageRequest } from '@vitrine/esm/messages';
import { describeError, type QuickFixEdit, type VitrineError } from '@vitrine/project';
import type { MissingPackageDiagnostic, PreviewDiagnostic } from '@vitrine/sandbox/host';
import type { PermissionName } from '@vitrine/sandbox/permissions';
import type { CdnImportInFile } from '../../packages/cdn-import-scanner.ts';
import { manifestPath, type ManifestError } from '../../packages/project-manifest.ts';
import type { ListedPackage, PackageOperation } from '../../packages/project-packages.ts';
import { formatPackageNames } from '../../packages/package-requests.ts';
import { describePermissionFix } from '../permissions/project-permissions.ts';
import { blocksCompilation, severityOf, type ListedProblem } from './problems.ts';

/** Inputs of the Problems tab at one moment. */
export interface ProblemSources {
  readonly preview: readonly PreviewDiagnostic[];
  readonly manifest: ManifestError | null;
  readonly work: PackageOperation;
  /** Packages listed in package.json. */
  readonly packages: readonly ListedPackage[];
  /** True if their versions are about to be resolved. */
  readonly isWaiting: boolean;
  /** Failed builds by package name. */
  readonly failures: ReadonlyMap<string, VitrineError>;
  readonly notices: readonly CdnImportInFile[];
  /** TypeScript diagnostics. */
  readonly typescript: readonly CodeDiagnostic[];
  /** Lint problems. */
  readonly lint: readonly LintDiagnostic[];
  /** Global names of the running page. Empty if none is running. */
  readonly pageNames: ReadonlySet<string>;
}

/** Actions of the quick fixes. */
interface QuickFixActions {
  addPackages(packages: readonly PackageRequest[]): void;
  /** Replaces an import from a CDN by an import of the package. */
  importByName(notice: CdnImportInFile): void;
  applyFix(edit: QuickFixEdit): void;
  requestPermission(name: PermissionName): void;
}

/**
 * Combines all sources into one sorted list: errors first, starting with those that keep a file
 * from compiling, since others may result from them. Within a file, from top to bottom.
 */
export function listProblems(troubles: ProblemSources, remedies: QuickFixActions): ListedProblem[] {
  const {
    preview,
    manifest: ofManifest,
    work,
    failures,
    notices,
    typescript,
    lint: ofRules,
    pageNames,
  } = troubles;
  return sortProblems([
    ...(ofManifest ? [listManifestProblem(ofManifest)] : []),
    ...listInstallFailure(work),
    ...preview.map((problem) =>
      isInstalling(problem, troubles) ? listInstalling(problem) : withQuickFixes(problem, remedies),
    ),
    ...Array.from(failures, listPackageFailure),
    ...typescript
      .filter((problem) => !isReportedBy(preview, problem))
      .filter(({ kind }) => kind === 'syntax' || !isResolving(troubles))
      .map(listCodeProblem),
    ...ofRules
      .filter((problem) => !isReportedBy(preview, problem) && !isReportedBy(typescript, problem))
      .filter((problem) => !pageNames.has(findUndefinedName(problem) ?? ''))
      .map(listRuleProblem),
    ...notices.map((notice) => listNotice(notice, remedies)),
  ]);
}

/** Name that lint reports as undefined: “foo” is not defined. → foo */
export function findUndefinedName({ rule, message }: LintDiagnostic): string | undefined {
  return rule === 'no-undef' ? /['“"](.+?)['”"]/.exec(message)?.[1] : undefined;
}

function sortProblems(problems: readonly ListedProblem[]): ListedProblem[] {
  const ranks = { error: 0, warning: 1, info: 2 };
  const rank = (problem: ListedProblem) =>
    ranks[severityOf(problem)] + (blocksCompilation(problem) ? 0 : 0.5);
  const paths = [...new Set(problems.map(({ path }) => path))];
  const positions = new Map(paths.map((path, index) => [path, index]));
  const positionOf = ({ path }: ListedProblem) => positions.get(path) ?? 0;
  return problems.toSorted(
    (a, b) =>
      rank(a) - rank(b) || positionOf(a) - positionOf(b) || a.line - b.line || a.column - b.column,
  );
}

function listManifestProblem({ message, line, column }: ManifestError): ListedProblem {
  return { kind: 'syntax', path: manifestPath, message: message, line, column };
}

function listInstallFailure(work: PackageOperation): ListedProblem[] {
  if (work.status !== 'failed' || !work.isFromManifest) return [];
  const { message } = describeError(work.code);
  return [{ kind: 'resource', message: message, path: manifestPath, line: 1, column: 1 }];
}

function listPackageFailure([name, { code }]: readonly [string, VitrineError]): ListedProblem {
  const { message, action } = describeError(code);
  const location = { path: manifestPath, line: 0, column: 0 };
  return { kind: 'package', message: `${name}: ${message} ${action}`, ...location };
}

/** True while versions are resolved: without its packages' declarations, a project has type errors everywhere. */
function isResolving({ work, packages, isWaiting }: ProblemSources): boolean {
  const isUnderWay = isWaiting || work.status === 'working';
  return isUnderWay && packages.some(({ version }) => version === undefined);
}

/** True if a missing package is being installed and may be there on the next run. */
function isInstalling(
  problem: PreviewDiagnostic,
  { work, packages, isWaiting }: ProblemSources,
): problem is MissingPackageDiagnostic {
  if (problem.kind !== 'package') return false;
  if (work.status === 'working') return true;
  const listed = packages.find(({ name }) => name === problem.packageName);
  return listed !== undefined && (isWaiting || listed.version !== undefined);
}

function listInstalling({
  packageName,
  path,
  line,
  column,
}: MissingPackageDiagnostic): ListedProblem {
  return { kind: 'notice', message: `Installing ${packageName}…`, path, line, column };
}

function withQuickFixes(
  problem: PreviewDiagnostic,
  { addPackages, applyFix, requestPermission }: QuickFixActions,
): ListedProblem {
  if (problem.kind === 'permission') {
    const { permission, canAllow, ...listed } = problem;
    const run = () => requestPermission(permission);
    const fixes = canAllow ? [{ label: describePermissionFix(permission), run }] : [];
    return { ...listed, quickFixes: fixes };
  }
  const remedies = problem.fixes?.map(({ label, edit }) => ({ label, run: () => applyFix(edit) }));
  if (problem.kind !== 'package') return { ...problem, ...(remedies && { quickFixes: remedies }) };
  const name = problem.packageName;
  const add = { label: `Install ${name}`, run: () => addPackages([{ name }]) };
  return { ...problem, quickFixes: [add, ...(remedies ?? [])] };
}

/**
 * True if another source already reports the problem: a syntax error anywhere in the file, a
 * missing module on the same line, or anything else at the same position or about the same name on
 * the line.
 */
function isReportedBy(
  others: readonly (PreviewDiagnostic | CodeDiagnostic)[],
  problem: CodeDiagnostic | LintDiagnostic,
): boolean {
  const { kind, path, line, column, message } = problem;
  // "Cannot find name 'x'." → x
  const name = /['“]([\p{ID_Start}$_][\p{ID_Continue}$]*)['”]/u.exec(message)?.[1];
  return others.some((other) => {
    if (other.path !== path) return false;
    if (kind === 'syntax' && other.kind === 'syntax') return true;
    if (other.line !== line) return false;
    // TypeScript reports missing modules too; no lint rule does.
    const isMissing = other.kind === 'resource' || other.kind === 'package';
    return (
      (isMissing && kind === 'type') ||
      isNear(other, column) ||
      (name !== undefined && mentions(other, name))
    );
  });
}

/** Sources differ in whether a tag starts at "<" or after it, so one column is tolerated. */
function isNear(other: { readonly column: number }, column: number): boolean {
  return Math.abs(other.column - column) <= 1;
}

function mentions({ kind, message }: PreviewDiagnostic | CodeDiagnostic, name: string): boolean {
  return kind === 'error' && (message.match(/[\p{ID_Continue}$]+/gu)?.includes(name) ?? false);
}

function listCodeProblem(problem: CodeDiagnostic): ListedProblem {
  const { kind, message, severity, path, line, column, endLine, endColumn } = problem;
  return {
    kind,
    message,
    path,
    line,
    column,
    endLine,
    endColumn,
    ...(severity === 'warning' && { severity }),
  };
}

function listRuleProblem(problem: LintDiagnostic): ListedProblem {
  const { kind, message, severity, path, line, column, endLine, endColumn, rule } = problem;
  const location = { path, line, column, endLine, endColumn };
  return { kind, message, rule, ...location, ...(severity === 'warning' && { severity }) };
}

function listNotice(
  notice: CdnImportInFile,
  { addPackages, importByName }: QuickFixActions,
): ListedProblem {
  const { path, line, column, packages, host, rewritten } = notice;
  const names = formatPackageNames(packages);
  const location = { kind: 'notice' as const, path, line, column };
  if (rewritten === undefined) {
    const message = `${names} is loaded from ${host} by a script tag. Install it as a package to import it from a module.`;
    return {
      ...location,
      message,
      quickFixes: [{ label: `Install ${names}`, run: () => addPackages(packages) }],
    };
  }
  const [verb, pronoun] = packages.length > 1 ? ['are', 'them'] : ['is', 'it'];
  const message = `${names} ${verb} imported from ${host}. Install ${pronoun} to pin the version and stop relying on that host.`;
  return {
    ...location,
    message,
    quickFixes: [{ label: 'Install package', run: () => importByName(notice) }],
  };
}
