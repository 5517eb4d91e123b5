import type { CodeProblem } from '@vitrine/editor/language-service';
import type { RuleProblem } from '@vitrine/editor/rules';
import { describeError, type FixEdit, type VitrineError } from '@vitrine/project';
import type { MissingPackage, Problem } from '@vitrine/sandbox/host';
import type { CdnNotice } from '../packages/cdn-notices.ts';
import { manifestPath, type ManifestProblem } from '../packages/manifest.ts';
import type { ListedPackage, PackageWork } from '../packages/project-packages.ts';
import { nameList, type WantedPackage } from '../packages/wanted-packages.ts';
import { isCause, severityOf, type ListedProblem } from './problems.ts';

/** All that can be told about a project at one moment. */
export interface Troubles {
  readonly ofResult: readonly Problem[];
  readonly ofManifest: ManifestProblem | null;
  readonly work: PackageWork;
  /** Packages that package.json lists. */
  readonly packages: readonly ListedPackage[];
  /** Versions of them are about to be looked for. */
  readonly isWaiting: boolean;
  /** By the name of the package. */
  readonly failures: ReadonlyMap<string, VitrineError>;
  readonly notices: readonly CdnNotice[];
  /** What TypeScript says. */
  readonly ofCode: readonly CodeProblem[];
  /** What the rules say. */
  readonly ofRules: readonly RuleProblem[];
  /** Global names of the page that runs; empty where none does. */
  readonly pageNames: ReadonlySet<string>;
}

/** What the remedies do. */
export interface Remedies {
  addPackages(wanted: readonly WantedPackage[]): void;
  /** Imports a package by its name where it came from another host. */
  importByName(notice: CdnNotice): void;
  applyFix(edit: FixEdit): void;
}

/**
 * One list of it: errors first, of these what keeps a file from compiling, since the others may come of
 * it; then a file's problems from its top to its bottom.
 */
export function listProblems(troubles: Troubles, remedies: Remedies): ListedProblem[] {
  const { ofResult, ofManifest, work, failures, notices, ofCode, ofRules, pageNames } = troubles;
  return inOrder([
    ...(ofManifest ? [{ kind: 'syntax' as const, path: manifestPath, ...ofManifest }] : []),
    ...listFailure(work),
    ...Array.from(failures, listPackageFailure),
    ...ofResult.map((problem) =>
      isResolving(problem, troubles) ? listResolving(problem) : withRemedies(problem, remedies),
    ),
    ...ofCode.filter((problem) => !isToldBy(ofResult, problem)).map(listCodeProblem),
    ...ofRules
      .filter((problem) => !isToldBy(ofResult, problem) && !isToldBy(ofCode, problem))
      .filter((problem) => !pageNames.has(findUndefinedName(problem) ?? ''))
      .map(listRuleProblem),
    ...notices.map((notice) => listNotice(notice, remedies)),
  ]);
}

/** The name that a rule found nowhere in the project: “foo” is not defined. → foo */
export function findUndefinedName({ rule, sentence }: RuleProblem): string | undefined {
  return rule === 'no-undef' ? /['“"](.+?)['”"]/.exec(sentence)?.[1] : undefined;
}

function inOrder(problems: readonly ListedProblem[]): ListedProblem[] {
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

function listFailure(work: PackageWork): ListedProblem[] {
  if (work.status !== 'failed' || !work.isOfFile) return [];
  const { sentence } = describeError(work.code);
  return [{ kind: 'resource', sentence, path: manifestPath, line: 1, column: 1 }];
}

function listPackageFailure([name, { code }]: readonly [string, VitrineError]): ListedProblem {
  const { sentence, action } = describeError(code);
  const place = { path: manifestPath, line: 0, column: 0 };
  return { kind: 'package', sentence: `${name}: ${sentence} ${action}`, ...place };
}

/** Whether a package that is missing is on its way: it may be there with the next run. */
function isResolving(
  problem: Problem,
  { work, packages, isWaiting }: Troubles,
): problem is MissingPackage {
  if (problem.kind !== 'package') return false;
  if (work.status === 'working') return true;
  const listed = packages.find(({ name }) => name === problem.packageName);
  return listed !== undefined && (isWaiting || listed.version !== undefined);
}

function listResolving({ packageName, path, line, column }: MissingPackage): ListedProblem {
  return { kind: 'notice', sentence: `Resolving ${packageName}…`, path, line, column };
}

function withRemedies(problem: Problem, { addPackages, applyFix }: Remedies): ListedProblem {
  const remedies = problem.fixes?.map(({ label, edit }) => ({ label, run: () => applyFix(edit) }));
  if (problem.kind !== 'package') return { ...problem, ...(remedies && { remedies }) };
  const name = problem.packageName;
  const add = { label: `Install ${name}`, run: () => addPackages([{ name }]) };
  return { ...problem, remedies: [add, ...(remedies ?? [])] };
}

/**
 * The compiler has told of it in its words, or what runs has: broken grammar is told once a file,
 * what cannot be found once in a line of code, and anything else once a place, or once a name in its
 * line.
 */
function isToldBy(
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
    // The types say the same where they name what is not there; no rule looks for it.
    const isAbsent = other.kind === 'resource' || other.kind === 'package';
    return (
      (isAbsent && kind === 'type') ||
      isAt(other, column) ||
      (name !== undefined && names(other, name))
    );
  });
}

/** Whether a tag begins at "<" or behind it is a matter of who says so. */
function isAt(other: { readonly column: number }, column: number): boolean {
  return Math.abs(other.column - column) <= 1;
}

function names({ kind, sentence }: Problem | CodeProblem, name: string): boolean {
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
