/**
 * Queue between the app's edits and the running project. Each changed file is compiled; a file that has
 * an error, or imports a missing one, keeps its last working output while the others go on.
 */
import {
  anyFile,
  findUnknownNames,
  isCompiled,
  isScriptPath,
  isStylePath,
  createReadFilter,
} from '@vitrine/compiler';
import { extension } from '@vitrine/project';
import type { CodePlace } from '../protocol.ts';
import { describeCompiled } from './describe-compiled.ts';
import { passed, type Compiled, type ProjectCompiler } from './project-compiler.ts';
import type { Problem } from './preview-state.ts';
import { pauseMs } from './run-mode.ts';
import type { Sources } from './sources.ts';

export interface Intake {
  /** Diagnostics of the newest set of files. */
  readonly problems: readonly Problem[];
  /**
   * Takes the app's complete set of files and calls `onAccepted` when something new may run, possibly
   * later. With `isTyped`, output that uses an incomplete identifier is held back until typing pauses.
   */
  take(files: ReadonlyMap<string, string>, isTyped: boolean): void;
  /** Commits the output that was held back. */
  release(): void;
  /** Checks the markup of the initial pages, once, in the background. */
  checkPages(): void;
  /** Compiles the initial files, once. Resolves when each has its output. */
  prepare(): Promise<void>;
  /** `prepare` has resolved. */
  readonly isPrepared: boolean;
  /** Whether a file's source map is still unknown, because `prepare` has not finished. */
  isUnprepared(path: string): boolean;
  /** Makes a `prepare` in progress start over if the compiler fails. */
  tryAgain(): void;
  /** Compiles again, at once, what the compiler failed to load for. Called when the network is back. */
  retry(): void;
  /** Maps a location in the output to the user's file. */
  locate<Place extends CodePlace>(place: Place): Place;
  /** Maps every location in a stack trace. */
  locateStack(stack: string): string;
  close(): void;
}

export interface IntakeOptions {
  sources: Sources;
  compiler: ProjectCompiler;
  onProblems(): void;
  onAccepted(): void;
}

/** Output of one compilation with its number. */
interface CompiledOnce {
  readonly path: string;
  readonly number: number;
  readonly file: Compiled;
}

/** Delay before files are compiled again after the compiler failed; doubled each time. */
const retryAfterMs = { first: 1_000, longest: 60_000 } as const;

/** Longest script searched for unknown identifiers, in UTF-16 units; the search takes 2 ms on the page's thread. */
const maxScriptLength = 10_000;

export function createIntake({ sources, compiler, onProblems, onAccepted }: IntakeOptions): Intake {
  /** Diagnostics by path. An entry is removed when the file is fixed or deleted. */
  const problems = new Map<string, readonly Problem[]>();
  /** Files that the newest output of a path was compiled with. An entry is removed when the file isn't compiled. */
  const reads = new Map<string, readonly string[]>();
  /** Number of the newest compilation of a path; older results are dropped. */
  const newest = new Map<string, number>();
  let count = 0;
  /** Resolves when every queued file is committed or has failed. Undefined when the queue is empty. */
  let compiling: Promise<void> | undefined;
  /** Output that uses an incomplete identifier, by path. Removed when it is committed or compiled again. */
  const held = new Map<string, Compiled>();
  let heldTimer: ReturnType<typeof setTimeout> | undefined;
  /** Changed files for which the compiler failed to load. Cleared by the next retry. */
  const unloaded = new Set<string>();
  let retryMs: number = retryAfterMs.first;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let prepared: Promise<void> | undefined;
  let retryRequests = 0;
  /** Every initial file has been compiled once, or has failed. */
  let isTried = false;
  /** Every initial file has its output. */
  let isPrepared = false;
  let arePagesChecked = false;

  return {
    get problems() {
      const own = [...problems].filter(([path]) => !isPartial(path));
      return [...eachOnce(own.flatMap(([, found]) => found))];
    },
    take(files, isTyped) {
      const { changed, removed } = sources.take(files);
      if (changed.length === 0 && removed.length === 0) return;
      for (const path of removed) discard(path);
      const areAllStale = compiler.setFiles(files);
      const stale = [...files.keys()].filter(
        (path) => !changed.includes(path) && (areAllStale || readsAny(path, changed)),
      );
      const uncompiled = changed.filter((path) => !needsCompiling(path));
      for (const path of uncompiled) if (!isMarkup(path)) discard(path);
      const compiled = [...changed, ...stale].filter(needsCompiling);
      if (compiled.length === 0 && !awaitsFirstOutput())
        accept(new Map(uncompiled.map((path) => [path, passed])), removed);
      else track(compileAll(compiled, uncompiled, removed, isTyped));
      for (const path of uncompiled) if (isMarkup(path)) void checkPage(path);
    },
    release,
    checkPages() {
      if (arePagesChecked) return;
      arePagesChecked = true;
      // Compiled pages are checked by their compiler.
      for (const path of sources.paths)
        if (isMarkup(path) && !needsCompiling(path)) void checkPage(path);
    },
    prepare: () => (prepared ??= prepare()),
    get isPrepared() {
      return isPrepared;
    },
    tryAgain() {
      retryRequests += 1;
    },
    retry,
    isUnprepared: (path) => !isTried && isScriptPath(path),
    locate(place) {
      const found = sources.findOriginal(place.path, place);
      return found ? { ...place, ...found } : place;
    },
    locateStack: (stack) =>
      stack.replace(stackLocation, (whole, text: string, line: string, column: string) => {
        // Firefox writes `function@path`, and a path may contain an `@` too.
        const starts = [0, ...Array.from(text.matchAll(/@/g), ({ index }) => index + 1)];
        const start = starts.find((at) => sources.read(text.slice(at)) !== undefined);
        if (start === undefined) return whole;
        const place = { line: Number(line), column: Number(column) };
        const found = sources.findOriginal(text.slice(start), place);
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
    return [...sources.takenPaths].some((path) => sources.read(path) === undefined);
  }

  function needsCompiling(path: string): boolean {
    return isCompiled({ path, text: sources.findTaken(path) ?? '' });
  }

  /** Whether a file was compiled with any of these, or may have been while it has no output yet. */
  function readsAny(path: string, others: readonly string[]): boolean {
    const source = { path, text: sources.findTaken(path) ?? '' };
    const known = reads.get(path);
    return known
      ? known.includes(anyFile) || others.some((other) => known.includes(other))
      : others.some(createReadFilter(source));
  }

  function track(work: Promise<void>): void {
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
    const files = new Map(uncompiled.map((path) => [path, passed]));
    const earlier = compiling;
    const compilations = paths.map((path) => compileTaken(path));
    // Synchronous results are committed synchronously: the frame gets them before the keystroke is painted.
    const results =
      !earlier && compilations.every(isSynchronous)
        ? compilations
        : await Promise.all(compilations);
    // This batch may import files of the earlier one, which takes longer.
    if (earlier) await Promise.allSettled([earlier]);
    // Files that changed again meanwhile have a newer compilation.
    const current = results.filter(isNewest);
    for (const { path, file } of current) reads.set(path, file.reads);
    for (const { path, file } of current) {
      const found = describe(path, file);
      if (file.isLost && !file.isStuck) unloaded.add(path);
      settle(path, found);
      // A file with an error keeps its last working output. A file that has none runs as it is and fails
      // by itself; otherwise the page would get a 404 for it.
      const isFirst = sources.read(path) === undefined && !file.isLost;
      if ((found.every(isWarning) || isPartial(path) || isFirst) && sources.differs(path, file))
        (isTyped && hasIncompleteIdentifier(path, file) ? held : files).set(path, file);
    }
    clearTimeout(heldTimer);
    if (held.size > 0) heldTimer = setTimeout(release, pauseMs);
    accept(files, removed);
    if (unloaded.size > 0) retryLater();
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
    if (isTried && !isPrepared) void (prepared ??= prepare());
    const paths = [...unloaded].filter(needsCompiling);
    unloaded.clear();
    if (paths.length > 0) track(compileAll(paths, [], [], false));
  }

  /** Whether an edit introduced an unknown identifier, which would throw and blank the page while the user types. */
  function hasIncompleteIdentifier(path: string, { code }: Compiled): boolean {
    const [before, text] = [sources.read(path), sources.findTaken(path) ?? ''];
    if (!isScriptPath(path) || before === undefined || text.length > maxScriptLength) return false;
    const isKnown = (name: string) => name in globalThis || isNamedElsewhere(name, path);
    return findUnknownNames(before, text, code ?? text, isKnown).length > 0;
  }

  /** Whether another script or page contains the name. Classic scripts share globals, and element ids are globals. */
  function isNamedElsewhere(name: string, path: string): boolean {
    const word = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`);
    return [...sources.paths].some(
      (other) =>
        other !== path &&
        (isScriptPath(other) || isMarkup(other)) &&
        word.test(sources.read(other) ?? ''),
    );
  }

  function release(): void {
    clearTimeout(heldTimer);
    accept(held, []);
  }

  function compileTaken(path: string): CompiledOnce | Promise<CompiledOnce> {
    const number = ++count;
    newest.set(path, number);
    held.delete(path);
    const file = compiler.compile(path, sources.findTaken(path) ?? '');
    if (!(file instanceof Promise)) return { path, number, file };
    return file.then((compiled): CompiledOnce => ({ path, number, file: compiled }));
  }

  /** No newer compilation of this file has started. */
  function isNewest({ path, number }: CompiledOnce): boolean {
    return newest.get(path) === number;
  }

  function describe(path: string, file: Compiled): Problem[] {
    const text = sources.findTaken(path) ?? '';
    return describeCompiled({ path, text, paths: [...sources.takenPaths] }, file);
  }

  /** Reports the diagnostics of a page, which runs with all of them. */
  async function checkPage(path: string): Promise<void> {
    const compiled = await compileTaken(path);
    if (isNewest(compiled)) settle(path, describe(path, compiled.file));
  }

  /**
   * Whether another stylesheet was compiled with this one, such as a Sass partial. It may not compile on
   * its own, and its errors are reported where it is imported.
   */
  function isPartial(path: string): boolean {
    return isStylePath(path) && [...reads.values()].some((paths) => paths.includes(path));
  }

  function accept(files: ReadonlyMap<string, Compiled>, removed: string[]): void {
    // A removed file may have been added again while others were compiled.
    const deleted = removed.filter((path) => sources.findTaken(path) === undefined);
    if (files.size === 0 && deleted.length === 0) return;
    const all = new Map([...held, ...files]);
    held.clear();
    sources.accept(all, deleted);
    onAccepted();
  }

  async function prepare(): Promise<void> {
    const requestsBefore = retryRequests;
    const texts = new Map([...sources.paths].map((path) => [path, sources.read(path) ?? '']));
    // Includes uncompiled scripts, because HMR needs to know their imports before the first edit.
    const compilable = [...texts].filter(([path, text]) => isCompiled({ path, text }));
    const files = await Promise.all(compilable.map(([path, text]) => prepareFile(path, text)));
    isTried = true;
    if (files.some((file) => file?.isLost)) {
      prepared = undefined;
      if (retryRequests > requestsBefore) return (prepared = prepare());
      if (files.some((file) => file?.isLost && !file.isStuck)) retryLater();
    } else isPrepared = true;
    compilable.forEach(([path], index) => {
      const file = files[index];
      if (file) settle(path, describe(path, file));
    });
  }

  /** Compiles one initial file. Returns undefined if it was edited meanwhile: the edit has its own output. */
  async function prepareFile(path: string, text: string): Promise<Compiled | undefined> {
    const before = newest.get(path);
    const file = await compiler.compile(path, text);
    if (sources.read(path) !== text) return undefined;
    sources.setForm(path, file);
    if (newest.get(path) !== before) return undefined;
    reads.set(path, file.reads);
    return file;
  }

  /** Drops the diagnostics, dependencies and pending compilation of a file. */
  function discard(path: string): void {
    newest.set(path, ++count);
    held.delete(path);
    reads.delete(path);
    settle(path, []);
  }

  function settle(path: string, found: readonly Problem[]): void {
    if (found.length > 0) problems.set(path, found);
    else if (!problems.delete(path)) return;
    onProblems();
  }
}

function isSynchronous<T>(compilations: T | Promise<T>): compilations is T {
  return !(compilations instanceof Promise);
}

function isMarkup(path: string): boolean {
  return ['html', 'htm'].includes(extension(path));
}

function isWarning({ severity }: Problem): boolean {
  return severity === 'warning';
}

/** Drops repeated diagnostics: one per missing package, and one per location for errors in shared partials. */
function* eachOnce(problems: readonly Problem[]): Generator<Problem> {
  const seen = new Set<string>();
  for (const problem of problems) {
    const { kind, path, line, column, sentence } = problem;
    const key = kind === 'package' ? problem.packageName : [path, line, column, sentence].join();
    if (seen.has(key)) continue;
    seen.add(key);
    yield problem;
  }
}

/** "src/App.tsx:3:14" in a stack trace that has project paths as URLs. */
const stackLocation = /([^\s()]+):(\d+):(\d+)/g;
