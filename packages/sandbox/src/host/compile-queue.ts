import {
  anyFilePath,
  findUnknownNames,
  usesCompiler,
  isScriptPath,
  isStylePath,
  createReadFilter,
} from '@vitrine/compiler';
import { getExtension, type AssetFile, type FileChanges, type ProjectFile } from '@vitrine/project';
import type { SourceLocation } from '../protocol.ts';
import { findLoadedFiles } from './loaded-files.ts';
import { describeCompileOutput } from './describe-compile-output.ts';
import {
  compilerFailure,
  passthroughOutput,
  type CompileOutput,
  type ProjectCompiler,
} from './project-compiler.ts';
import type { PreviewDiagnostic } from './diagnostics.ts';
import { pauseMs } from './run-scheduler.ts';
import type { ModuleStore } from './module-store.ts';

interface CompileQueueOptions {
  moduleStore: ModuleStore;
  compiler: ProjectCompiler;
  /** Loads the bytes of an asset. May reject: it is called again later, and once the network is back. */
  loadAsset(asset: AssetFile): Promise<Blob>;
  /** See `MountOptions`. */
  whenUrlsKnown?(): Promise<void> | undefined;
  onDiagnostics(): void;
  onCommitted(): void;
}

/** Output of one compilation with its number. */
interface Compilation {
  readonly path: string;
  readonly number: number;
  readonly output: CompileOutput;
}

/** Delay before files are compiled again after the compiler failed; doubled each time. */
const retryAfterMs = { first: 1_000, longest: 60_000 } as const;

/** Longest script searched for unknown identifiers, in UTF-16 units; the search takes 2 ms on the page's thread. */
const maxScriptLength = 10_000;

/**
 * Queue between the app's edits and the running project. Each changed file is compiled; a file that has
 * an error, or imports a missing one, keeps its last working output while the others go on.
 */
export class CompileQueue {
  readonly #options: CompileQueueOptions;
  readonly #store: ModuleStore;
  readonly #compiler: ProjectCompiler;
  /** Diagnostics by path. An entry is removed when the file is fixed or deleted. */
  readonly #diagnosticsByPath = new Map<string, readonly PreviewDiagnostic[]>();
  /** Files that the newest output of a path was compiled with. An entry is removed when the file isn't compiled. */
  readonly #dependenciesByPath = new Map<string, readonly string[]>();
  /** Number of the newest compilation of a path; older results are dropped. */
  readonly #latestCompilation = new Map<string, number>();
  #compilationCount = 0;
  /** Resolves when every queued file is committed or has failed. Undefined when the queue is empty. */
  #compiling: Promise<void> | undefined;
  /** Output that uses an incomplete identifier, by path. Removed when it is committed or compiled again. */
  readonly #heldOutputs = new Map<string, CompileOutput>();
  #heldTimer: ReturnType<typeof setTimeout> | undefined;
  /** Texts with a syntax error that run because no earlier one compiled, by path. */
  readonly #invalidTexts = new Map<string, string>();
  /** Changed files for which the compiler failed to load. Cleared by the next retry. */
  readonly #failedLoads = new Set<string>();
  #retryMs: number = retryAfterMs.first;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #preparation: Promise<void> | undefined;
  #retryRequests = 0;
  /** Every initial file has been compiled once, or has failed. */
  #isInitialCompileDone = false;
  #isPrepared = false;
  /** The page started without the output of some initial files. */
  #lacksOutput = false;
  #arePagesChecked = false;

  constructor(options: CompileQueueOptions) {
    this.#options = options;
    this.#store = options.moduleStore;
    this.#compiler = options.compiler;
  }

  /** Diagnostics of the newest set of files. */
  get diagnostics(): readonly PreviewDiagnostic[] {
    const entries = [...this.#diagnosticsByPath].filter(([path]) => !this.#isPartial(path));
    const found = entries.flatMap(([, each]) => each);
    return [
      ...withoutDuplicates(
        this.#withSeverities(found).map((each) => this.#withEarlierVersion(each)),
      ),
    ];
  }

  /** Errors of files that something other than a page loads, such as a test and its imports. */
  findErrors(paths: ReadonlySet<string>): PreviewDiagnostic[] {
    const whole = [...paths].filter((path) => !this.#isPartial(path));
    const found = whole.flatMap((path) => this.#diagnosticsByPath.get(path) ?? []);
    return [...withoutDuplicates(found.filter((each) => !isWarning(each)))];
  }

  /** Every initial file has its output. */
  get isPrepared(): boolean {
    return this.#isPrepared;
  }

  /**
   * Takes the app's edits and calls `onCommitted` when something new may run, possibly later. With
   * `isTyped`, output that uses an incomplete identifier is held back until typing pauses.
   */
  enqueue(changes: FileChanges, isTyped: boolean): void {
    const { changed: changedFiles, removed: removedPaths } = this.#store.changeFiles(changes);
    const [changed, removed] = [[...changedFiles.keys()], [...removedPaths]];
    if (changed.length === 0 && removed.length === 0) return;
    for (const path of removed) this.#discard(path);
    const areAllStale = this.#compiler.changeFiles({ changed: changedFiles, removed });
    const stale = [...this.#store.latestPaths].filter(
      (path) =>
        !changedFiles.has(path) &&
        !this.#isAsset(path) &&
        (areAllStale || this.#dependsOnAny(path, changed)),
    );
    const uncompiled = changed.filter((path) => !this.#needsCompiling(path));
    for (const path of uncompiled) if (!isMarkup(path)) this.#discard(path);
    const compiled = [...changed, ...stale].filter((path) => this.#needsCompiling(path));
    if (compiled.length === 0 && !this.#awaitsFirstOutput())
      this.#commit(new Map(uncompiled.map((path) => [path, passthroughOutput])), removed);
    else this.#trackCompilation(this.#compileAll(compiled, uncompiled, removed, isTyped));
    for (const path of uncompiled) if (isMarkup(path)) void this.#checkPage(path);
  }

  /** Commits the output that was held back. */
  commitHeld(): void {
    clearTimeout(this.#heldTimer);
    this.#commit(this.#heldOutputs, []);
  }

  /** Checks the markup of the initial pages, once, in the background. */
  checkPages(): void {
    if (this.#arePagesChecked) return;
    this.#arePagesChecked = true;
    // Compiled pages are checked by their compiler.
    for (const path of this.#store.paths)
      if (isMarkup(path) && !this.#needsCompiling(path)) void this.#checkPage(path);
  }

  /** Loads what the first edit needs. */
  prepareForEdits(): void {
    this.#compiler.prepareForEdits();
  }

  /** Compiles the initial files, once. Resolves when each has its output. */
  prepare(): Promise<void> {
    return (this.#preparation ??= this.#prepare());
  }

  /** Makes a `prepare` in progress start over if the compiler fails. */
  requestRetry(): void {
    this.#retryRequests += 1;
  }

  /** Compiles again, at once, what the compiler failed to load for. Called when the network is back. */
  retry(): void {
    clearTimeout(this.#retryTimer);
    // Initial files are only compiled for their source maps; the page isn't updated.
    if (this.#isInitialCompileDone && !this.#isPrepared) void this.prepare();
    const paths = [...this.#failedLoads].filter((path) => this.#needsCompiling(path));
    this.#failedLoads.clear();
    if (paths.length > 0) this.#trackCompilation(this.#compileAll(paths, [], [], false));
  }

  /** Whether a file's source map is still unknown, because `prepare` has not finished. */
  lacksSourceMap(path: string): boolean {
    return !this.#isInitialCompileDone && isScriptPath(path);
  }

  /** Maps a location in the output to the user's file. */
  mapLocation<Location extends SourceLocation>(location: Location): Location {
    const found = this.#store.mapToSource(location.path, location);
    return found ? { ...location, ...found } : location;
  }

  /**
   * Maps the location of an error. If that is in code which a compiler added, as `new App()` of a Svelte component
   * is, the next one in its stack counts, or else the file alone.
   */
  mapErrorLocation<Location extends SourceLocation>(location: Location, stack: string): Location {
    if (!this.#store.isInserted(location.path, location)) return this.mapLocation(location);
    for (const [, text = '', line, column] of stack.matchAll(stackLocation)) {
      const path = this.#findPath(text);
      const next = { line: Number(line), column: Number(column) };
      if (path !== undefined && !this.#store.isInserted(path, next))
        return this.mapLocation({ ...location, path, ...next });
    }
    return { ...location, line: 0, column: 0 };
  }

  /** Maps every location in a stack trace. Those in code that a compiler added lose their position. */
  mapStack(stack: string): string {
    return stack.replace(stackLocation, (whole, text: string, line: string, column: string) => {
      const path = this.#findPath(text);
      if (path === undefined) return whole;
      const location = { line: Number(line), column: Number(column) };
      if (this.#store.isInserted(path, location)) return text;
      const found = this.#store.mapToSource(path, location);
      return found ? `${text}:${found.line}:${found.column}` : whole;
    });
  }

  /** Path of a file in a location of a stack. Firefox writes `function@path`, and a path may contain an `@` too. */
  #findPath(text: string): string | undefined {
    const starts = [0, ...Array.from(text.matchAll(/@/g), ({ index }) => index + 1)];
    const start = starts.find((at) => this.#store.read(text.slice(at)) !== undefined);
    return start === undefined ? undefined : text.slice(start);
  }

  close(): void {
    clearTimeout(this.#heldTimer);
    clearTimeout(this.#retryTimer);
    this.#compiler.close();
  }

  /** Whether a file without any output is being compiled. A page that links it would get a 404. */
  #awaitsFirstOutput(): boolean {
    if (!this.#compiling) return false;
    return [...this.#store.latestPaths].some((path) => this.#store.read(path) === undefined);
  }

  #needsCompiling(path: string): boolean {
    return this.#isAsset(path) || usesCompiler({ path, text: this.#store.latestText(path) });
  }

  #isAsset(path: string): boolean {
    return this.#store.findLatest(path)?.kind === 'asset';
  }

  /** Whether a file was compiled with any of these, or may have been while it has no output yet. */
  #dependsOnAny(path: string, others: readonly string[]): boolean {
    const source = { path, text: this.#store.latestText(path) };
    const dependencies = this.#dependenciesByPath.get(path);
    return dependencies
      ? dependencies.includes(anyFilePath) || others.some((other) => dependencies.includes(other))
      : others.some(createReadFilter(source));
  }

  #trackCompilation(work: Promise<void>): void {
    this.#compiling = work;
    void work.finally(() => {
      if (this.#compiling === work) this.#compiling = undefined;
    });
  }

  async #compileAll(
    paths: string[],
    uncompiled: string[],
    removed: string[],
    isTyped: boolean,
  ): Promise<void> {
    const files = new Map(uncompiled.map((path) => [path, passthroughOutput]));
    const previous = this.#compiling;
    const compilations = paths.map((path) => this.#compileLatest(path));
    // Synchronous results are committed synchronously: the frame gets them before the keystroke is painted.
    const results =
      !previous && compilations.every(isSynchronous)
        ? compilations
        : await Promise.all(compilations);
    // This batch may import files of the earlier one, which takes longer.
    if (previous) await Promise.allSettled([previous]);
    // Files that changed again meanwhile have a newer compilation.
    const current = results.filter((each) => this.#isNewest(each));
    for (const { path, output: file } of current) this.#dependenciesByPath.set(path, file.reads);
    for (const { path, output: file } of current) {
      const found = this.#describe(path, file);
      if (file.isLost && !file.isStuck) this.#failedLoads.add(path);
      // A file with an error keeps its last working output. A file that has none runs as it is and fails
      // by itself; otherwise the page would get a 404 for it.
      const isFirst = this.#store.read(path) === undefined && !file.isLost;
      if (isFirst) this.#recordInvalid(path, this.#store.latestText(path), file);
      this.#setDiagnostics(path, found);
      if (
        (found.every(isWarning) || this.#isPartial(path) || isFirst) &&
        this.#store.isOutputChanged(path, file)
      )
        (isTyped && this.#hasIncompleteIdentifier(path, file) ? this.#heldOutputs : files).set(
          path,
          file,
        );
    }
    clearTimeout(this.#heldTimer);
    if (this.#heldOutputs.size > 0) this.#heldTimer = setTimeout(() => this.commitHeld(), pauseMs);
    this.#commit(files, removed);
    if (this.#failedLoads.size > 0) this.#retryLater();
    else if (files.size > 0) this.#retryMs = retryAfterMs.first;
  }

  #retryLater(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.retry(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, retryAfterMs.longest);
  }

  /** Whether an edit introduced an unknown identifier, which would throw and blank the page while the user types. */
  #hasIncompleteIdentifier(path: string, { code }: CompileOutput): boolean {
    const [before, text] = [this.#store.read(path), this.#store.latestText(path)];
    if (!isScriptPath(path) || before === undefined || text.length > maxScriptLength) return false;
    const isKnown = (name: string) => name in globalThis || this.#isNamedElsewhere(name, path);
    return findUnknownNames(before, text, code ?? text, isKnown).length > 0;
  }

  /** Whether another script or page contains the name. Classic scripts share globals, and element ids are globals. */
  #isNamedElsewhere(name: string, path: string): boolean {
    const word = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`);
    return [...this.#store.paths].some(
      (other) =>
        other !== path &&
        (isScriptPath(other) || isMarkup(other)) &&
        word.test(this.#store.read(other) ?? ''),
    );
  }

  #compileLatest(path: string): Compilation | Promise<Compilation> {
    const number = ++this.#compilationCount;
    this.#latestCompilation.set(path, number);
    this.#heldOutputs.delete(path);
    const file = this.#makeOutput(path, this.#store.findLatest(path));
    if (!(file instanceof Promise)) return { path, number, output: file };
    return file.then((compiled) => ({ path, number, output: compiled }));
  }

  #makeOutput(path: string, file: ProjectFile | undefined): CompileOutput | Promise<CompileOutput> {
    if (file?.kind === 'asset') return this.#loadOutput(path, file);
    return this.#compiler.compile(path, file?.text ?? '');
  }

  async #loadOutput(path: string, asset: AssetFile): Promise<CompileOutput> {
    try {
      const bytes = await this.#options.loadAsset(asset);
      const text = isTextType(asset.mediaType) ? await bytes.text() : '';
      return { ...passthroughOutput, asset: { bytes, text } };
    } catch {
      // The reason is the network's or the server's, and the next attempt may succeed.
      return compilerFailure(`Couldn’t load ${path}. Check your connection.`);
    }
  }

  /** No newer compilation of this file has started. */
  #isNewest({ path, number }: Compilation): boolean {
    return this.#latestCompilation.get(path) === number;
  }

  #describe(path: string, file: CompileOutput): PreviewDiagnostic[] {
    const text = this.#store.latestText(path);
    return describeCompileOutput({ path, text, paths: [...this.#store.latestPaths] }, file);
  }

  /** Reports the diagnostics of a page, which runs with all of them. */
  async #checkPage(path: string): Promise<void> {
    const compiled = await this.#compileLatest(path);
    if (this.#isNewest(compiled)) this.#setDiagnostics(path, this.#describe(path, compiled.output));
  }

  /**
   * Whether another stylesheet was compiled with this one, such as a Sass partial. It may not compile on
   * its own, and its errors are reported where it is imported.
   */
  #isPartial(path: string): boolean {
    return (
      isStylePath(path) &&
      [...this.#dependenciesByPath.values()].some((paths) => paths.includes(path))
    );
  }

  #commit(files: ReadonlyMap<string, CompileOutput>, removed: string[]): void {
    // A removed file may have been added again while others were compiled.
    const deleted = removed.filter((path) => this.#store.findLatest(path) === undefined);
    if (files.size === 0 && deleted.length === 0) return;
    const all = new Map([...this.#heldOutputs, ...files]);
    this.#heldOutputs.clear();
    this.#store.commit(all, deleted);
    this.#options.onCommitted();
    // Which files a page loads may have changed.
    if ([...this.#diagnosticsByPath.values()].some((found) => found.some(isImportError)))
      this.#options.onDiagnostics();
  }

  async #prepare(): Promise<void> {
    const requestsBefore = this.#retryRequests;
    // Includes uncompiled scripts, because HMR needs to know their imports before the first edit.
    const compilable = [...this.#store.paths].filter((path) => {
      const file = this.#store.findCommitted(path);
      return file?.kind === 'asset' || usesCompiler({ path, text: file?.text ?? '' });
    });
    const urlsKnown = this.#options.whenUrlsKnown?.();
    const files = await Promise.all(compilable.map((path) => this.#prepareFile(path)));
    const pathsWithNames = compilable.filter((_, index) => files[index]?.code?.includes('?names='));
    if (urlsKnown) void this.#prepareAgain(pathsWithNames, urlsKnown);
    this.#isInitialCompileDone = true;
    if (files.some((file) => file?.isLost)) {
      this.#preparation = undefined;
      this.#lacksOutput = true;
      if (this.#retryRequests > requestsBefore) return (this.#preparation = this.#prepare());
      if (files.some((file) => file?.isLost && !file.isStuck)) this.#retryLater();
    } else this.#isPrepared = true;
    compilable.forEach((path, index) => {
      const file = files[index];
      if (file) this.#setDiagnostics(path, this.#describe(path, file));
    });
    if (this.#isPrepared && this.#lacksOutput) this.#options.onCommitted();
  }

  /**
   * Compiles initial files again once package URLs are known, so that the next page loads the same
   * ones as the page that the server compiled. Offline, there are no others.
   */
  async #prepareAgain(paths: readonly string[], urlsKnown: Promise<void>): Promise<void> {
    await urlsKnown;
    await Promise.all(paths.map((path) => this.#prepareFile(path)));
  }

  /** Compiles one initial file. Returns undefined if it was edited meanwhile: the edit has its own output. */
  async #prepareFile(path: string): Promise<CompileOutput | undefined> {
    const source = this.#store.findCommitted(path);
    const before = this.#latestCompilation.get(path);
    const file = await this.#makeOutput(path, source);
    if (!file.isLost && source?.kind === 'text') this.#recordInvalid(path, source.text, file);
    if (this.#store.findCommitted(path) !== source) return undefined;
    // The second compilation may fail where the first one worked.
    if (file.isLost && this.#isPrepared) return undefined;
    this.#store.setOutput(path, file);
    if (this.#latestCompilation.get(path) !== before) return undefined;
    this.#dependenciesByPath.set(path, file.reads);
    return file;
  }

  #recordInvalid(path: string, text: string, { problems }: CompileOutput): void {
    if (problems.some(({ severity }) => severity === undefined)) this.#invalidTexts.set(path, text);
  }

  /**
   * Makes warnings of failed imports in scripts that no page loads, such as those that only Node runs. They come
   * last, since a package is reported once.
   */
  #withSeverities(found: readonly PreviewDiagnostic[]): readonly PreviewDiagnostic[] {
    if (!found.some(isImportError)) return found;
    const loaded = findLoadedFiles(this.#store);
    const isUnused = (each: PreviewDiagnostic) => isImportError(each) && !loaded.has(each.path);
    const unused = found
      .filter(isUnused)
      .map((each) => ({ ...each, severity: 'warning' as const }));
    return [...found.filter((each) => !isUnused(each)), ...unused];
  }

  /** Adds to a syntax error whether an earlier version of its file runs instead. */
  #withEarlierVersion(diagnostic: PreviewDiagnostic): PreviewDiagnostic {
    const running = this.#store.read(diagnostic.path);
    const hasEarlier =
      this.#isInitialCompileDone &&
      running !== undefined &&
      running !== this.#invalidTexts.get(diagnostic.path);
    return diagnostic.kind === 'syntax' && diagnostic.severity === undefined && hasEarlier
      ? { ...diagnostic, runsEarlierVersion: true }
      : diagnostic;
  }

  /** Drops the diagnostics, dependencies and pending compilation of a file. */
  #discard(path: string): void {
    this.#latestCompilation.set(path, ++this.#compilationCount);
    this.#heldOutputs.delete(path);
    this.#dependenciesByPath.delete(path);
    this.#setDiagnostics(path, []);
  }

  #setDiagnostics(path: string, found: readonly PreviewDiagnostic[]): void {
    if (found.length > 0) this.#diagnosticsByPath.set(path, found);
    else if (!this.#diagnosticsByPath.delete(path)) return;
    this.#options.onDiagnostics();
  }
}

function isSynchronous<T>(compilations: T | Promise<T>): compilations is T {
  return !(compilations instanceof Promise);
}

/** Whether an import of a script failed: of a missing file, or of a package that isn't installed. */
function isImportError({ kind, path, severity }: PreviewDiagnostic): boolean {
  return (
    severity === undefined && (kind === 'package' || kind === 'resource') && isScriptPath(path)
  );
}

function isTextType(mediaType: string): boolean {
  return /^text\/|^application\/(?:json|javascript|xml)|\+(?:json|xml)(?:;|$)/.test(mediaType);
}

function isMarkup(path: string): boolean {
  return ['html', 'htm'].includes(getExtension(path));
}

function isWarning({ severity }: PreviewDiagnostic): boolean {
  return severity === 'warning';
}

/** Drops repeated diagnostics: one per missing package, and one per location for errors in shared partials. */
function* withoutDuplicates(
  diagnostics: readonly PreviewDiagnostic[],
): Generator<PreviewDiagnostic> {
  const seen = new Set<string>();
  for (const problem of diagnostics) {
    const { kind, path, line, column, message } = problem;
    const key = kind === 'package' ? problem.packageName : [path, line, column, message].join();
    if (seen.has(key)) continue;
    seen.add(key);
    yield problem;
  }
}

/** "src/App.tsx:3:14" in a stack trace that has project paths as URLs. */
const stackLocation = /([^\s()]+):(\d+):(\d+)/g;
