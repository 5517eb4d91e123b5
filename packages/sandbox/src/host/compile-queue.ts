/**
 * Queue between the app's edits and the running project. Each changed file is compiled; a file that has
 * an error, or imports a missing one, keeps its last working output while the others go on.
 */
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
import { describeCompileOutput } from './describe-compile-output.ts';
import {
  compilerFailure,
  passthroughOutput,
  type CompileOutput,
  type ProjectCompiler,
} from './project-compiler.ts';
import type { PreviewDiagnostic } from './preview-state.ts';
import { pauseMs } from './run-scheduler.ts';
import type { ModuleStore } from './module-store.ts';

export interface CompileQueue {
  /** Diagnostics of the newest set of files. */
  readonly diagnostics: readonly PreviewDiagnostic[];
  /**
   * Takes the app's edits and calls `onCommitted` when something new may run, possibly later. With
   * `isTyped`, output that uses an incomplete identifier is held back until typing pauses.
   */
  enqueue(changes: FileChanges, isTyped: boolean): void;
  /** Commits the output that was held back. */
  commitHeld(): void;
  /** Checks the markup of the initial pages, once, in the background. */
  checkPages(): void;
  /** Compiles the initial files, once. Resolves when each has its output. */
  prepare(): Promise<void>;
  /** `prepare` has resolved. */
  readonly isPrepared: boolean;
  /** Whether a file's source map is still unknown, because `prepare` has not finished. */
  lacksSourceMap(path: string): boolean;
  /** Makes a `prepare` in progress start over if the compiler fails. */
  requestRetry(): void;
  /** Compiles again, at once, what the compiler failed to load for. Called when the network is back. */
  retry(): void;
  /** Maps a location in the output to the user's file. */
  mapLocation<Place extends SourceLocation>(place: Place): Place;
  /** Maps every location in a stack trace. */
  mapStack(stack: string): string;
  close(): void;
}

export interface CompileQueueOptions {
  moduleStore: ModuleStore;
  compiler: ProjectCompiler;
  /** Loads the bytes of an asset. May reject: it is called again later, and once the network is back. */
  loadAsset(asset: AssetFile): Promise<Blob>;
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

export function createCompileQueue({
  moduleStore,
  compiler,
  loadAsset,
  onDiagnostics,
  onCommitted,
}: CompileQueueOptions): CompileQueue {
  /** Diagnostics by path. An entry is removed when the file is fixed or deleted. */
  const diagnosticsByPath = new Map<string, readonly PreviewDiagnostic[]>();
  /** Files that the newest output of a path was compiled with. An entry is removed when the file isn't compiled. */
  const dependenciesByPath = new Map<string, readonly string[]>();
  /** Number of the newest compilation of a path; older results are dropped. */
  const latestCompilation = new Map<string, number>();
  let compilationCount = 0;
  /** Resolves when every queued file is committed or has failed. Undefined when the queue is empty. */
  let compiling: Promise<void> | undefined;
  /** Output that uses an incomplete identifier, by path. Removed when it is committed or compiled again. */
  const heldOutputs = new Map<string, CompileOutput>();
  let heldTimer: ReturnType<typeof setTimeout> | undefined;
  /** Texts with a syntax error that run because no earlier one compiled, by path. */
  const invalidTexts = new Map<string, string>();
  /** Changed files for which the compiler failed to load. Cleared by the next retry. */
  const failedLoads = new Set<string>();
  let retryMs: number = retryAfterMs.first;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let preparation: Promise<void> | undefined;
  let retryRequests = 0;
  /** Every initial file has been compiled once, or has failed. */
  let isInitialCompileDone = false;
  /** Every initial file has its output. */
  let isPrepared = false;
  /** The page started without the output of some initial files. */
  let lacksOutput = false;
  let arePagesChecked = false;

  return {
    get diagnostics() {
      const entries = [...diagnosticsByPath].filter(([path]) => !isPartial(path));
      return [...withoutDuplicates(entries.flatMap(([, found]) => found.map(withEarlierVersion)))];
    },
    enqueue(changes, isTyped) {
      const { changed: changedFiles, removed: removedPaths } = moduleStore.changeFiles(changes);
      const [changed, removed] = [[...changedFiles.keys()], [...removedPaths]];
      if (changed.length === 0 && removed.length === 0) return;
      for (const path of removed) discard(path);
      const areAllStale = compiler.changeFiles({ changed: changedFiles, removed });
      const stale = [...moduleStore.latestPaths].filter(
        (path) =>
          !changedFiles.has(path) && !isAsset(path) && (areAllStale || dependsOnAny(path, changed)),
      );
      const uncompiled = changed.filter((path) => !needsCompiling(path));
      for (const path of uncompiled) if (!isMarkup(path)) discard(path);
      const compiled = [...changed, ...stale].filter(needsCompiling);
      if (compiled.length === 0 && !awaitsFirstOutput())
        commit(new Map(uncompiled.map((path) => [path, passthroughOutput])), removed);
      else trackCompilation(compileAll(compiled, uncompiled, removed, isTyped));
      for (const path of uncompiled) if (isMarkup(path)) void checkPage(path);
    },
    commitHeld,
    checkPages() {
      if (arePagesChecked) return;
      arePagesChecked = true;
      // Compiled pages are checked by their compiler.
      for (const path of moduleStore.paths)
        if (isMarkup(path) && !needsCompiling(path)) void checkPage(path);
    },
    prepare: () => (preparation ??= prepare()),
    get isPrepared() {
      return isPrepared;
    },
    requestRetry() {
      retryRequests += 1;
    },
    retry,
    lacksSourceMap: (path) => !isInitialCompileDone && isScriptPath(path),
    mapLocation(place) {
      const found = moduleStore.mapToSource(place.path, place);
      return found ? { ...place, ...found } : place;
    },
    mapStack: (stack) =>
      stack.replace(stackLocation, (whole, text: string, line: string, column: string) => {
        // Firefox writes `function@path`, and a path may contain an `@` too.
        const starts = [0, ...Array.from(text.matchAll(/@/g), ({ index }) => index + 1)];
        const start = starts.find((at) => moduleStore.read(text.slice(at)) !== undefined);
        if (start === undefined) return whole;
        const place = { line: Number(line), column: Number(column) };
        const found = moduleStore.mapToSource(text.slice(start), place);
        return found ? `${text}:${found.line}:${found.column}` : whole;
      }),
    close() {
      clearTimeout(heldTimer);
      clearTimeout(retryTimer);
      compiler.close();
    },
  };

  /** Whether a file without any output is being compiled. A page that links it would get a 404. */
  function awaitsFirstOutput(): boolean {
    if (!compiling) return false;
    return [...moduleStore.latestPaths].some((path) => moduleStore.read(path) === undefined);
  }

  function needsCompiling(path: string): boolean {
    return isAsset(path) || usesCompiler({ path, text: moduleStore.latestText(path) });
  }

  function isAsset(path: string): boolean {
    return moduleStore.findLatest(path)?.kind === 'asset';
  }

  /** Whether a file was compiled with any of these, or may have been while it has no output yet. */
  function dependsOnAny(path: string, others: readonly string[]): boolean {
    const source = { path, text: moduleStore.latestText(path) };
    const dependencies = dependenciesByPath.get(path);
    return dependencies
      ? dependencies.includes(anyFilePath) || others.some((other) => dependencies.includes(other))
      : others.some(createReadFilter(source));
  }

  function trackCompilation(work: Promise<void>): void {
    compiling = work;
    void work.finally(() => {
      if (compiling === work) compiling = undefined;
    });
  }

  async function compileAll(
    paths: string[],
    uncompiled: string[],
    removed: string[],
    isTyped: boolean,
  ): Promise<void> {
    const files = new Map(uncompiled.map((path) => [path, passthroughOutput]));
    const previous = compiling;
    const compilations = paths.map((path) => compileLatest(path));
    // Synchronous results are committed synchronously: the frame gets them before the keystroke is painted.
    const results =
      !previous && compilations.every(isSynchronous)
        ? compilations
        : await Promise.all(compilations);
    // This batch may import files of the earlier one, which takes longer.
    if (previous) await Promise.allSettled([previous]);
    // Files that changed again meanwhile have a newer compilation.
    const current = results.filter(isNewest);
    for (const { path, output: file } of current) dependenciesByPath.set(path, file.reads);
    for (const { path, output: file } of current) {
      const found = describe(path, file);
      if (file.isLost && !file.isStuck) failedLoads.add(path);
      // A file with an error keeps its last working output. A file that has none runs as it is and fails
      // by itself; otherwise the page would get a 404 for it.
      const isFirst = moduleStore.read(path) === undefined && !file.isLost;
      if (isFirst) recordInvalid(path, moduleStore.latestText(path), file);
      setDiagnostics(path, found);
      if (
        (found.every(isWarning) || isPartial(path) || isFirst) &&
        moduleStore.isOutputChanged(path, file)
      )
        (isTyped && hasIncompleteIdentifier(path, file) ? heldOutputs : files).set(path, file);
    }
    clearTimeout(heldTimer);
    if (heldOutputs.size > 0) heldTimer = setTimeout(commitHeld, pauseMs);
    commit(files, removed);
    if (failedLoads.size > 0) retryLater();
    else if (files.size > 0) retryMs = retryAfterMs.first;
  }

  function retryLater(): void {
    clearTimeout(retryTimer);
    retryTimer = setTimeout(retry, retryMs);
    retryMs = Math.min(retryMs * 2, retryAfterMs.longest);
  }

  function retry(): void {
    clearTimeout(retryTimer);
    // Initial files are only compiled for their source maps; the page isn't updated.
    if (isInitialCompileDone && !isPrepared) void (preparation ??= prepare());
    const paths = [...failedLoads].filter(needsCompiling);
    failedLoads.clear();
    if (paths.length > 0) trackCompilation(compileAll(paths, [], [], false));
  }

  /** Whether an edit introduced an unknown identifier, which would throw and blank the page while the user types. */
  function hasIncompleteIdentifier(path: string, { code }: CompileOutput): boolean {
    const [before, text] = [moduleStore.read(path), moduleStore.latestText(path)];
    if (!isScriptPath(path) || before === undefined || text.length > maxScriptLength) return false;
    const isKnown = (name: string) => name in globalThis || isNamedElsewhere(name, path);
    return findUnknownNames(before, text, code ?? text, isKnown).length > 0;
  }

  /** Whether another script or page contains the name. Classic scripts share globals, and element ids are globals. */
  function isNamedElsewhere(name: string, path: string): boolean {
    const word = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`);
    return [...moduleStore.paths].some(
      (other) =>
        other !== path &&
        (isScriptPath(other) || isMarkup(other)) &&
        word.test(moduleStore.read(other) ?? ''),
    );
  }

  function commitHeld(): void {
    clearTimeout(heldTimer);
    commit(heldOutputs, []);
  }

  function compileLatest(path: string): Compilation | Promise<Compilation> {
    const number = ++compilationCount;
    latestCompilation.set(path, number);
    heldOutputs.delete(path);
    const file = makeOutput(path, moduleStore.findLatest(path));
    if (!(file instanceof Promise)) return { path, number, output: file };
    return file.then((compiled) => ({ path, number, output: compiled }));
  }

  function makeOutput(
    path: string,
    file: ProjectFile | undefined,
  ): CompileOutput | Promise<CompileOutput> {
    if (file?.kind === 'asset') return loadOutput(path, file);
    return compiler.compile(path, file?.text ?? '');
  }

  async function loadOutput(path: string, asset: AssetFile): Promise<CompileOutput> {
    try {
      const bytes = await loadAsset(asset);
      const text = isTextType(asset.mediaType) ? await bytes.text() : '';
      return { ...passthroughOutput, asset: { bytes, text } };
    } catch {
      // The reason is the network's or the server's, and the next attempt may succeed.
      return compilerFailure(`Couldn’t load ${path}. Check your connection.`);
    }
  }

  /** No newer compilation of this file has started. */
  function isNewest({ path, number }: Compilation): boolean {
    return latestCompilation.get(path) === number;
  }

  function describe(path: string, file: CompileOutput): PreviewDiagnostic[] {
    const text = moduleStore.latestText(path);
    return describeCompileOutput({ path, text, paths: [...moduleStore.latestPaths] }, file);
  }

  /** Reports the diagnostics of a page, which runs with all of them. */
  async function checkPage(path: string): Promise<void> {
    const compiled = await compileLatest(path);
    if (isNewest(compiled)) setDiagnostics(path, describe(path, compiled.output));
  }

  /**
   * Whether another stylesheet was compiled with this one, such as a Sass partial. It may not compile on
   * its own, and its errors are reported where it is imported.
   */
  function isPartial(path: string): boolean {
    return (
      isStylePath(path) && [...dependenciesByPath.values()].some((paths) => paths.includes(path))
    );
  }

  function commit(files: ReadonlyMap<string, CompileOutput>, removed: string[]): void {
    // A removed file may have been added again while others were compiled.
    const deleted = removed.filter((path) => moduleStore.findLatest(path) === undefined);
    if (files.size === 0 && deleted.length === 0) return;
    const all = new Map([...heldOutputs, ...files]);
    heldOutputs.clear();
    moduleStore.commit(all, deleted);
    onCommitted();
  }

  async function prepare(): Promise<void> {
    const requestsBefore = retryRequests;
    // Includes uncompiled scripts, because HMR needs to know their imports before the first edit.
    const compilable = [...moduleStore.paths].filter((path) => {
      const file = moduleStore.findCommitted(path);
      return file?.kind === 'asset' || usesCompiler({ path, text: file?.text ?? '' });
    });
    const files = await Promise.all(compilable.map((path) => prepareFile(path)));
    isInitialCompileDone = true;
    if (files.some((file) => file?.isLost)) {
      preparation = undefined;
      lacksOutput = true;
      if (retryRequests > requestsBefore) return (preparation = prepare());
      if (files.some((file) => file?.isLost && !file.isStuck)) retryLater();
    } else isPrepared = true;
    compilable.forEach((path, index) => {
      const file = files[index];
      if (file) setDiagnostics(path, describe(path, file));
    });
    if (isPrepared && lacksOutput) onCommitted();
  }

  /** Compiles one initial file. Returns undefined if it was edited meanwhile: the edit has its own output. */
  async function prepareFile(path: string): Promise<CompileOutput | undefined> {
    const source = moduleStore.findCommitted(path);
    const before = latestCompilation.get(path);
    const file = await makeOutput(path, source);
    if (!file.isLost && source?.kind === 'text') recordInvalid(path, source.text, file);
    if (moduleStore.findCommitted(path) !== source) return undefined;
    moduleStore.setOutput(path, file);
    if (latestCompilation.get(path) !== before) return undefined;
    dependenciesByPath.set(path, file.reads);
    return file;
  }

  function recordInvalid(path: string, text: string, { problems }: CompileOutput): void {
    if (problems.some(({ severity }) => severity === undefined)) invalidTexts.set(path, text);
  }

  /** Adds to a syntax error whether an earlier version of its file runs instead. */
  function withEarlierVersion(diagnostic: PreviewDiagnostic): PreviewDiagnostic {
    const running = moduleStore.read(diagnostic.path);
    const hasEarlier =
      isInitialCompileDone &&
      running !== undefined &&
      running !== invalidTexts.get(diagnostic.path);
    return diagnostic.kind === 'syntax' && diagnostic.severity === undefined && hasEarlier
      ? { ...diagnostic, runsEarlierVersion: true }
      : diagnostic;
  }

  /** Drops the diagnostics, dependencies and pending compilation of a file. */
  function discard(path: string): void {
    latestCompilation.set(path, ++compilationCount);
    heldOutputs.delete(path);
    dependenciesByPath.delete(path);
    setDiagnostics(path, []);
  }

  function setDiagnostics(path: string, found: readonly PreviewDiagnostic[]): void {
    if (found.length > 0) diagnosticsByPath.set(path, found);
    else if (!diagnosticsByPath.delete(path)) return;
    onDiagnostics();
  }
}

function isSynchronous<T>(compilations: T | Promise<T>): compilations is T {
  return !(compilations instanceof Promise);
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
    const { kind, path, line, column, sentence } = problem;
    const key = kind === 'package' ? problem.packageName : [path, line, column, sentence].join();
    if (seen.has(key)) continue;
    seen.add(key);
    yield problem;
  }
}

/** "src/App.tsx:3:14" in a stack trace that has project paths as URLs. */
const stackLocation = /([^\s()]+):(\d+):(\d+)/g;
