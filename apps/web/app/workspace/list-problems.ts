import type { CodeProblem } from '@vitrine/editor/language-service';
import type { RuleProblem } from '@vitrine/editor/rules';
import { describeError, type FixEdit, type VitrineError } from '@vitrine/project';
import type { MissingPackage, Problem } from '@vitrine/sandbox/host';
import type { CdnNotice } from '../packages/cdn-notices.ts';
import { manifestPath, type ManifestProblem } from '../packages/manifest.ts';
import type { ListedPackage, PackageWork } from '../packages/project-packages.ts';
import { nameList, type WantedPackage } from '../packages/wanted-packages.ts';
import { isCause, severityOf, type ListedProblem } from './problems.ts';

/** Inputs of the Problems tab at one moment. */
export interface Troubles {
  readonly ofResult: readonly Problem[];
  readonly ofManifest: ManifestProblem | null;
  readonly work: PackageWork;
  /** Packages listed in package.json. */
  readonly packages: readonly ListedPackage[];
  /** True if their versions are about to be resolved. */
  readonly isWaiting: boolean;
  /** Failed builds by package name. */
  readonly failures: ReadonlyMap<string, VitrineError>;
  readonly notices: readonly CdnNotice[];
  /** TypeScript diagnostics. */
  readonly ofCode: readonly CodeProblem[];
  /** Lint problems. */
  readonly ofRules: readonly RuleProblem[];
  /** Global names of the running page. Empty if none is running. */
  readonly pageNames: ReadonlySet<string>;
}

/** Actions of the quick fixes. */
export interface Remedies {
  addPackages(packages: readonly WantedPackage[]): void;
  /** Replaces an import from a CDN by an import of the package. */
  importByName(notice: CdnNotice): void;
  applyFix(edit: FixEdit): void;
}

/**
 * Combines all sources into one sorted list: errors first, starting with those that keep a file
 * from compiling, since others may result from them. Within a file, from top to bottom.
 */
export function listProblems(troubles: Troubles, remedies: Remedies): ListedProblem[] {
  const { ofResult, ofManifest, work, failures, notices, ofCode, ofRules, pageNames } = troubles;
  return sortProblems([
    ...(ofManifest ? [listManifestProblem(ofManifest)] : []),
    ...listInstallFailure(work),
    ...Array.from(failures, listPackageFailure),
    ...ofResult.map((problem) =>
      isInstalling(problem, troubles) ? listInstalling(problem) : withQuickFixes(problem, remedies),
    ),
    ...ofCode.filter((problem) => !isReportedBy(ofResult, problem)).map(listCodeProblem),
    ...ofRules
      .filter((problem) => !isReportedBy(ofResult, problem) && !isReportedBy(ofCode, problem))
      .filter((problem) => !pageNames.has(findUndefinedName(problem) ?? ''))
      .map(listRuleProblem),
    ...notices.map((notice) => listNotice(notice, remedies)),
  ]);
}

/** Name that lint reports as undefined: “foo” is not defined. → foo */
export function findUndefinedName({ rule, sentence }: RuleProblem): string | undefined {
  return rule === 'no-undef' ? /['“"](.+?)['”"]/.exec(sentence)?.[1] : undefined;
}

function sortProblems(problems: readonly ListedProblem[]): ListedProblem[] {
  const ranks = { error: 0, warning: 1, info: 2 };
  const rank = (problem: ListedProblem) =>
    ranks[severityOf(problem)] + (isCause(problem) ? 0 : 0.5);
  const paths = [...new Set(problems.map(({ path }) => path))];
  const places = new Map(paths.map((path, place) => [path, place]));
  const placeOf = ({ path }: ListedProblem) => places.get(path) ?? 0;
  return problems.toSorted(
    (a, b) =>
      rank(a) - rank(b) || placeOf(a) - placeOf(b) || a.line - b.line || a.column - b.column,
  );
}

function listManifestProblem({ sentence, line, column }: ManifestProblem): ListedProblem {
  return { kind: 'syntax', path: manifestPath, sentence, line, column };
}

function listInstallFailure(work: PackageWork): ListedProblem[] {
  if (work.status !== 'failed' || !work.isOfFile) return [];
  const { sentence } = describeError(work.code);
  return [{ kind: 'resource', sentence, path: manifestPath, line: 1, column: 1 }];
}

function listPackageFailure([name, { code }]: readonly [string, VitrineError]): ListedProblem {
  const { sentence, action } = describeError(code);
  const place = { path: manifestPath, line: 0, column: 0 };
  return { kind: 'package', sentence: `${name}: ${sentence} ${action}`, ...place };
}

/** True if a missing package is being installed and may be there on the next run. */
function isInstalling(
  problem: Problem,
  { work, packages, isWaiting }: Troubles,
): problem is MissingPackage {
  if (problem.kind !== 'package') return false;
  if (work.status === 'working') return true;
  const listed = packages.find(({ name }) => name === problem.packageName);
  return listed !== undefined && (isWaiting || listed.version !== undefined);
}

function listInstalling({ packageName, path, line, column }: MissingPackage): ListedProblem {
  return { kind: 'notice', sentence: `Resolving ${packageName}…`, path, line, column };
}

function withQuickFixes(problem: Problem, { addPackages, applyFix }: Remedies): ListedProblem {
  const remedies = problem.fixes?.map(({ label, edit }) => ({ label, run: () => applyFix(edit) }));
  if (problem.kind !== 'package') return { ...problem, ...(remedies && { remedies }) };
  const name = problem.packageName;
  const add = { label: `Install ${name}`, run: () => addPackages([{ name }]) };
  return { ...problem, remedies: [add, ...(remedies ?? [])] };
}

/**
 * True if another source already reports the problem: a syntax error anywhere in the file, a
 * missing module on the same line, or anything else at the same position or about the same name on
 * the line.
 */
function isReportedBy(
  others: readonly (Problem | CodeProblem)[],
  problem: CodeProblem | RuleProblem,
): boolean {
  const { kind, path, line, column, sentence } = problem;
  // "Cannot find name 'x'." → x
  const name = /['“]([\p{ID_Start}$_][\p{ID_Continue}$]*)['”]/u.exec(sentence)?.[1];
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

function mentions({ kind, sentence }: Problem | CodeProblem, name: string): boolean {
  return kind === 'error' && (sentence.match(/[\p{ID_Continue}$]+/gu)?.includes(name) ?? false);
}

function listCodeProblem(problem: CodeProblem): ListedProblem {
  const { kind, sentence, severity, path, line, column, endLine, endColumn } = problem;
  return {
    kind,
    sentence,
    path,
    line,
    column,
    endLine,
    endColumn,
    ...(severity === 'warning' && { severity }),
  };
}

function listRuleProblem(problem: RuleProblem): ListedProblem {
  const { kind, sentence, severity, path, line, column, endLine, endColumn, rule } = problem;
  const place = { path, line, column, endLine, endColumn };
  return { kind, sentence, rule, ...place, ...(severity === 'warning' && { severity }) };
}

function listNotice(notice: CdnNotice, { addPackages, importByName }: Remedies): ListedProblem {
  const { path, line, column, packages, host, rewritten } = notice;
  const names = nameList(packages);
  const place = { kind: 'notice' as const, path, line, column };
  if (rewritten === undefined) {
    const sentence = `${names} is loaded from ${host} by a script tag. Install it as a package to import it from a module.`;
    return {
      ...place,
      sentence,
      remedies: [{ label: `Install ${names}`, run: () => addPackages(packages) }],
    };
  }
  const [verb, pronoun] = packages.length > 1 ? ['are', 'them'] : ['is', 'it'];
  const sentence = `${names} ${verb} imported from ${host}. Install ${pronoun} to pin the version and work without that host.`;
  return {
    ...place,
    sentence,
    remedies: [{ label: 'Install package', run: () => importByName(notice) }],
  };
}
