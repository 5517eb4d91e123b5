import { applyQuickFix, type QuickFixEdit } from '@vitrine/project';
import { findImportedPackages } from '../../packages/imported-packages.ts';
import { AutoInstaller } from '../../packages/auto-installer.ts';
import { findCdnImports } from '../../packages/cdn-imports.ts';
import { CdnImportScanner, type CdnImportInFile } from '../../packages/cdn-import-scanner.ts';
import type { ProjectPackages } from '../../packages/project-packages.ts';
import { formatPackageNames } from '../../packages/package-requests.ts';
import { Timer } from '../../schedule.ts';
import type { PreviewDiagnostic, SourceLocation } from '@vitrine/sandbox/host';
import type { PermissionName } from '@vitrine/sandbox/permissions';
import { findUndefinedName, listProblems, type ProblemSources } from './list-problems.ts';
import { isAboutPage, type ListedProblem } from './problems.ts';
import type { ProjectLanguage } from '../code/project-language.ts';
import type { ProjectLint } from '../code/project-lint.ts';
import type { PreviewController } from '../preview/preview-controller.ts';
import { ErrorOverlayState } from '../preview/error-overlay-state.ts';
import { ValueStore } from '../value-store.ts';

/** The workspace's files and ways to change and show them. */
interface ProjectProblemsOptions {
  readonly result: PreviewController;
  readonly packages: ProjectPackages;
  readonly language: ProjectLanguage;
  readonly lint: ProjectLint;
  readonly files: () => ReadonlyMap<string, string>;
  /** Overwrites an existing file. */
  readonly edit: (path: string, content: string) => void;
  /** Writes a file, new or existing, as one undo step. */
  readonly write: (path: string, content: string) => void;
  /** Asks the user whether the project may have a permission. */
  readonly requestPermission: (name: PermissionName) => void;
  readonly goTo: (location: SourceLocation) => void;
  /** Whether missing packages are installed automatically. */
  readonly addsPackages: () => boolean;
}

/** Shared empty list, so that "still no problems" doesn't notify subscribers on each keystroke. */
const none: readonly ListedProblem[] = [];

/** Problems of a project and their quick fixes. */
export class ProjectProblems {
  /** Problems in the current files. */
  readonly all = new ValueStore(none);
  /** Problem shown in the error overlay. */
  readonly overlay = new ErrorOverlayState();
  readonly #options: ProjectProblemsOptions;
  readonly #notices = new CdnImportScanner();
  readonly #autoInstall: AutoInstaller;
  #lastVisited: SourceLocation | undefined;
  /** Global names of the page that ran last. Requested when lint reports undefined names. */
  #pageNames: ReadonlySet<string> = new Set();
  readonly #namesTimer = new Timer();
  /** Inputs of the current `all`. */
  #inputs: ProblemSources | undefined;

  constructor(options: ProjectProblemsOptions) {
    this.#options = options;
    this.#autoInstall = new AutoInstaller(options.packages);
  }

  /**
   * Observes the preview, packages and diagnostics until the signal aborts. `list` has to be called
   * when files change.
   */
  start(signal: AbortSignal): void {
    const { result, packages, language, lint: rules } = this.#options;
    const inputs = [
      language.problems,
      rules.problems,
      result.problems,
      packages.manifestError,
      packages.operation,
      packages.list,
      packages.isPending,
      packages.builds.failures,
    ];
    const unsubscribes = inputs.map((source) => source.subscribe(() => this.update()));
    unsubscribes.push(
      result.problems.subscribe(() => this.#reportToPackages()),
      result.state.subscribe(() => this.#requestNames()),
      rules.problems.subscribe(() => this.#requestNames()),
    );
    signal.addEventListener('abort', () => {
      unsubscribes.forEach((unsubscribe) => unsubscribe());
      this.#autoInstall.close();
      this.#namesTimer.stop();
      this.#pageNames = new Set();
      this.#inputs = undefined;
      this.all.set(none);
      this.overlay.close();
    });
  }

  /** Recomputes the list. */
  update(): void {
    const { result, packages, language, lint: rules, files } = this.#options;
    const inputs: ProblemSources = {
      preview: result.problems.get(),
      manifest: packages.manifestError.get(),
      work: packages.operation.get(),
      packages: packages.list.get(),
      isWaiting: packages.isPending.get(),
      failures: packages.builds.failures.get(),
      notices: this.#notices.scan(files()),
      typescript: language.problems.get(),
      lint: rules.problems.get(),
      pageNames: this.#pageNames,
    };
    if (this.#inputs && isSame(this.#inputs, inputs)) return;
    this.#inputs = inputs;
    const problems = listProblems(inputs, {
      addPackages: (wanted) => void packages.add(wanted),
      importByName: (notice) => void this.#importByName(notice),
      applyFix: (edit) => this.#applyFix(edit),
      requestPermission: this.#options.requestPermission,
    });
    this.all.set(problems.length === 0 ? none : problems);
    this.overlay.setProblems(problems.filter(isAboutPage));
  }

  /**
   * Goes to the next (1) or previous (-1) problem in list order, relative to the last one visited.
   */
  readonly goToNext = (step: 1 | -1): void => {
    const locations = this.all.get().filter(({ path, line }) => path !== '' && line > 0);
    const from =
      this.#lastVisited === undefined
        ? -1
        : locations.findIndex((each) => isSameLocation(each, this.#lastVisited));
    const next = locations.at(from === -1 && step === -1 ? -1 : (from + step) % locations.length);
    if (!next) return;
    this.#lastVisited = next;
    this.#options.goTo(next);
  };

  /**
   * Requests the global names of the running page while lint reports undefined names. Retries after
   * these delays, since a script may define names later, such as when a library has loaded.
   */
  #requestNames(delaysMs: readonly number[] = [1_000, 5_000]): void {
    this.#namesTimer.stop();
    const { result, lint: rules } = this.#options;
    const names = rules.problems.get().flatMap((problem) => findUndefinedName(problem) ?? []);
    if (result.state.get().status !== 'running' || names.length === 0) return;
    const isRetry = delaysMs.length < 2;
    if (isRetry && names.every((name) => this.#pageNames.has(name))) return;
    const [laterMs, ...rest] = delaysMs;
    if (laterMs !== undefined) this.#namesTimer.start(laterMs, () => this.#requestNames(rest));
    void this.#readNames();
  }

  async #readNames(): Promise<void> {
    const found = await this.#options.result.completeInPage([]);
    if (this.#inputs === undefined || found.length === 0) return;
    this.#pageNames = new Set(found);
    this.update();
  }

  /** Reports missing and failed packages of the running page. */
  #reportToPackages(): void {
    const { result, addsPackages } = this.#options;
    const problems = result.problems.get();
    const missing = problems.flatMap((each) =>
      each.kind === 'package' && each.severity === undefined ? each.packageName : [],
    );
    if (addsPackages()) this.#autoInstall.schedule(missing);
    if (problems.some(mayBePackageFailure)) this.#checkImportedPackages();
  }

  #checkImportedPackages(): void {
    const { packages, files } = this.#options;
    const names = packages.list.get().map(({ name }) => name);
    packages.builds.onLoadFailure(findImportedPackages(files(), names));
  }

  /** Installs the packages of a CDN import, then rewrites the import to their names. */
  async #importByName({ path, host, packages }: CdnImportInFile): Promise<void> {
    if (!(await this.#options.packages.add(packages))) return;
    // The file may have been edited meanwhile.
    const found = findCdnImports(path, this.#options.files().get(path) ?? '');
    const names = formatPackageNames(packages);
    const same = found.find(
      (each) => each.host === host && formatPackageNames(each.packages) === names,
    );
    if (same?.rewritten !== undefined) this.#options.edit(path, same.rewritten);
  }

  /** Applies a quick fix. Does nothing if the code has changed since. */
  #applyFix(edit: QuickFixEdit): void {
    const content = applyQuickFix(this.#options.files(), edit);
    if (content !== undefined) this.#options.write(edit.path, content);
  }
}

/** Whether a package that failed to build may cause a problem: a module that exists failed to load. */
function mayBePackageFailure(problem: PreviewDiagnostic): boolean {
  if (problem.stack.includes('/npm/')) return true;
  if (problem.kind === 'package' || problem.kind === 'permission') return false;
  if (problem.kind !== 'resource') return problem.isFailedImport === true;
  return problem.module !== undefined || (problem.address?.includes('/npm/') ?? false);
}

function isSameLocation(a: SourceLocation, b: SourceLocation | undefined): boolean {
  return a.path === b?.path && a.line === b.line && a.column === b.column;
}

/** True if all inputs are identical. Each is replaced when it changes. */
function isSame(before: ProblemSources, now: ProblemSources): boolean {
  const parts: ReadonlyMap<string, unknown> = new Map(Object.entries(before));
  return Object.entries(now).every(([name, part]) => parts.get(name) === part);
}
