/**
 * What the app has on its way to what runs: scripts are compiled, and those that do not compile, or
 * import what is not there, keep their last good form while the rest goes on.
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
  /** What keeps files of the newest set from running. */
  readonly problems: readonly Problem[];
  /**
   * Takes the app's whole set; calls `onAccepted` when something new may run, perhaps later. Of what
   * `isTyped`, names may be half there.
   */
  take(files: ReadonlyMap<string, string>, isTyped: boolean): void;
  /** What waits for the rest of a name may run now. */
  release(): void;
  /** Looks at the markup of the pages that the preview began with, once; nothing waits for it. */
  checkPages(): void;
  /** Compiles the files that the preview began with, once; done when each has its form. */
  prepare(): Promise<void>;
  /** That is done. */
  readonly isPrepared: boolean;
  /** Whether places in this file are those of what it was compiled to, and `prepare` is not done. */
  isUnprepared(path: string): boolean;
  /** Whoever is preparing begins once more, should the compiler itself fail meanwhile. */
  tryAgain(): void;
  /** The network may be back: compiles at once what it could not load the compiler for. */
  retry(): void;
  /** The place in the person's own file, of a place in what runs. */
  locate<Place extends CodePlace>(place: Place): Place;
  /** A stack with such places. */
  locateStack(stack: string): string;
  close(): void;
}

export interface IntakeOptions {
  sources: Sources;
  compiler: ProjectCompiler;
  onProblems(): void;
  onAccepted(): void;
}

/** The form of a text, and the number of that compilation. */
interface CompiledOnce {
  readonly path: string;
  readonly number: number;
  readonly file: Compiled;
}

/** Until what could not be compiled, through no fault of its own, is tried again; doubled each time. */
const retryAfterMs = { first: 1_000, longest: 60_000 } as const;

/** Names in so many characters are found in 2 ms, on the page's own thread. */
const mostRead = 10_000;

export function createIntake({ sources, compiler, onProblems, onAccepted }: IntakeOptions): Intake {
  /** By path; gone when the file is put right, or goes. */
  const problems = new Map<string, readonly Problem[]>();
  /** By path, the files that its newest form was made with; gone when the file is not compiled. */
  const reads = new Map<string, readonly string[]>();
  /** The number of the newest compilation of a path: what comes late changes nothing. */
  const newest = new Map<string, number>();
  let count = 0;
  /** Done when all that was taken is accepted, as far as it may be; undefined where it is. */
  let compiling: Promise<void> | undefined;
  /** Forms that wait for the rest of a name, by path; gone when they are accepted, or made anew. */
  const held = new Map<string, Compiled>();
  let holding: ReturnType<typeof setTimeout> | undefined;
  /** Taken files that the compiler could not be loaded for; gone when they are tried again. */
  const unloaded = new Set<string>();
  let retryMs: number = retryAfterMs.first;
  let retrying: ReturnType<typeof setTimeout> | undefined;
  let prepared: Promise<void> | undefined;
  let tries = 0;
  /** Each file has been compiled once, or could not be. */
  let isTried = false;
  /** Each has its form. */
  let isPrepared = false;
  let arePagesChecked = false;

  return {
    get problems() {
      const told = [...problems].filter(([path]) => !isPart(path));
      return [...eachOnce(told.flatMap(([, found]) => found))];
    },
    take(files, isTyped) {
      const { changed, removed } = sources.take(files);
      if (changed.length === 0 && removed.length === 0) return;
      for (const path of removed) forget(path);
      const areAllStale = compiler.setFiles(files);
      const stale = [...files.keys()].filter(
        (path) => !changed.includes(path) && (areAllStale || readsAny(path, changed)),
      );
      const plain = changed.filter((path) => !isTakenCompiled(path));
      for (const path of plain) if (!isMarkup(path)) forget(path);
      const compiled = [...changed, ...stale].filter(isTakenCompiled);
      if (compiled.length === 0 && !awaitsFirst())
        accept(new Map(plain.map((path) => [path, passed])), removed);
      else follow(compileAll(compiled, plain, removed, isTyped));
      for (const path of plain) if (isMarkup(path)) void checkPage(path);
    },
    release,
    checkPages() {
      if (arePagesChecked) return;
      arePagesChecked = true;
      // What is compiled is looked at as it is.
      for (const path of sources.paths)
        if (isMarkup(path) && !isTakenCompiled(path)) void checkPage(path);
    },
    prepare: () => (prepared ??= prepare()),
    get isPrepared() {
      return isPrepared;
    },
    tryAgain() {
      tries += 1;
    },
    retry,
    isUnprepared: (path) => !isTried && isScriptPath(path),
    locate(place) {
      const found = sources.findOriginal(place.path, place);
      return found ? { ...place, ...found } : place;
    },
    locateStack: (stack) =>
      stack.replace(stackPlace, (whole, text: string, line: string, column: string) => {
        // Firefox has the function before an `@`, and a path may have one in it.
        const starts = [0, ...Array.from(text.matchAll(/@/g), ({ index }) => index + 1)];
        const start = starts.find((at) => sources.read(text.slice(at)) !== undefined);
        if (start === undefined) return whole;
        const place = { line: Number(line), column: Number(column) };
        const found = sources.findOriginal(text.slice(start), place);
        return found ? `${text}:${found.line}:${found.column}` : whole;
      }),
    close() {
      clearTimeout(holding);
      clearTimeout(retrying);
      compiler.close();
    },
  };

  /** Whether a file is being compiled that has no form yet: a page that links it would miss it. */
  function awaitsFirst(): boolean {
    if (!compiling) return false;
    return [...sources.takenPaths].some((path) => sources.read(path) === undefined);
  }

  function isTakenCompiled(path: string): boolean {
    return isCompiled({ path, text: sources.findTaken(path) ?? '' });
  }

  /** Whether a file was made with any of these, or may have been: not all are compiled yet. */
  function readsAny(path: string, others: readonly string[]): boolean {
    const source = { path, text: sources.findTaken(path) ?? '' };
    const known = reads.get(path);
    return known
      ? known.includes(anyFile) || others.some((other) => known.includes(other))
      : others.some(createReadFilter(source));
  }

  function follow(work: Promise<void>): void {
    compiling = work;
    void work.finally(() => {
      if (compiling === work) compiling = undefined;
    });
  }

  async function compileAll(
    paths: string[],
    plain: string[],
    removed: string[],
    isTyped: boolean,
  ): Promise<void> {
    const files = new Map(plain.map((path) => [path, passed]));
    const earlier = compiling;
    const made = paths.map((path) => compileTaken(path));
    // What is there at once goes on at once: the frame hears of it before the page draws its letter.
    const results = !earlier && made.every(isThere) ? made : await Promise.all(made);
    // It may import what was made before it, and takes longer.
    if (earlier) await Promise.allSettled([earlier]);
    // One may have been taken anew while another was on its way.
    const current = results.filter(isNewest);
    for (const { path, file } of current) reads.set(path, file.reads);
    for (const { path, file } of current) {
      const found = describe(path, file);
      if (file.isLost && !file.isStuck) unloaded.add(path);
      settle(path, found);
      // A file with a mistake keeps its last good form. One that has none runs as it is, and fails by
      // itself: without it the page would be told that there is no such file.
      const isFirst = sources.read(path) === undefined && !file.isLost;
      if ((found.every(isWarning) || isPart(path) || isFirst) && sources.differs(path, file))
        (isTyped && isHalfTyped(path, file) ? held : files).set(path, file);
    }
    clearTimeout(holding);
    if (held.size > 0) holding = setTimeout(release, pauseMs);
    accept(files, removed);
    if (unloaded.size > 0) retryLater();
    else if (files.size > 0) retryMs = retryAfterMs.first;
  }

  function retryLater(): void {
    clearTimeout(retrying);
    retrying = setTimeout(retry, retryMs);
    retryMs = Math.min(retryMs * 2, retryAfterMs.longest);
  }

  function retry(): void {
    clearTimeout(retrying);
    // What the preview began with is not to be shown anew: it is only to be known.
    if (isTried && !isPrepared) void (prepared ??= prepare());
    const paths = [...unloaded].filter(isTakenCompiled);
    unloaded.clear();
    if (paths.length > 0) follow(compileAll(paths, [], [], false));
  }

  /** Whether it has got a name that nothing has: it would throw, and what it shows be gone, until then. */
  function isHalfTyped(path: string, { code }: Compiled): boolean {
    const [before, text] = [sources.read(path), sources.findTaken(path) ?? ''];
    if (!isScriptPath(path) || before === undefined || text.length > mostRead) return false;
    const isKnown = (name: string) => name in globalThis || isElsewhere(name, path);
    return findUnknownNames(before, text, code ?? text, isKnown).length > 0;
  }

  /** A script or a page beside it has the name: plain scripts share theirs, and elements have them as ids. */
  function isElsewhere(name: string, path: string): boolean {
    const word = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`);
    return [...sources.paths].some(
      (other) =>
        other !== path &&
        (isScriptPath(other) || isMarkup(other)) &&
        word.test(sources.read(other) ?? ''),
    );
  }

  function release(): void {
    clearTimeout(holding);
    accept(held, []);
  }

  function compileTaken(path: string): CompiledOnce | Promise<CompiledOnce> {
    const number = ++count;
    newest.set(path, number);
    held.delete(path);
    const file = compiler.compile(path, sources.findTaken(path) ?? '');
    if (!(file instanceof Promise)) return { path, number, file };
    return file.then((compiled) => ({ path, number, file: compiled }));
  }

  /** No newer text is on its way. */
  function isNewest({ path, number }: CompiledOnce): boolean {
    return newest.get(path) === number;
  }

  function describe(path: string, file: Compiled): Problem[] {
    const text = sources.findTaken(path) ?? '';
    return describeCompiled({ path, text, paths: [...sources.takenPaths] }, file);
  }

  /** Its mistakes show up behind it: a page runs with every one of them. */
  async function checkPage(path: string): Promise<void> {
    const compiled = await compileTaken(path);
    if (isNewest(compiled)) settle(path, describe(path, compiled.file));
  }

  /**
   * Whether another stylesheet was made with this one: then it may make no sense alone, and what is
   * wrong with it is found where it is read.
   */
  function isPart(path: string): boolean {
    return isStylePath(path) && [...reads.values()].some((paths) => paths.includes(path));
  }

  function accept(files: ReadonlyMap<string, Compiled>, removed: string[]): void {
    // What was removed while others were compiled may be there again.
    const gone = removed.filter((path) => sources.findTaken(path) === undefined);
    if (files.size === 0 && gone.length === 0) return;
    const all = new Map([...held, ...files]);
    held.clear();
    sources.accept(all, gone);
    onAccepted();
  }

  async function prepare(): Promise<void> {
    const tried = tries;
    const texts = new Map([...sources.paths].map((path) => [path, sources.read(path) ?? '']));
    // Also what runs as it is: who imports what is known of all, before the first edit.
    const wanted = [...texts].filter(([path, text]) => isCompiled({ path, text }));
    const files = await Promise.all(wanted.map(([path, text]) => prepareFile(path, text)));
    isTried = true;
    if (files.some((file) => file?.isLost)) {
      prepared = undefined;
      if (tries > tried) return (prepared = prepare());
      if (files.some((file) => file?.isLost && !file.isStuck)) retryLater();
    } else isPrepared = true;
    wanted.forEach(([path], index) => {
      const file = files[index];
      if (file) settle(path, describe(path, file));
    });
  }

  /** A file that has been edited meanwhile has a newer form, or problems of its own. */
  async function prepareFile(path: string, text: string): Promise<Compiled | undefined> {
    const before = newest.get(path);
    const file = await compiler.compile(path, text);
    if (sources.read(path) !== text) return undefined;
    sources.setForm(path, file);
    if (newest.get(path) !== before) return undefined;
    reads.set(path, file.reads);
    return file;
  }

  /** Nothing is to be said of it, and it reads nothing; what is on its way is of no use. */
  function forget(path: string): void {
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

function isThere<T>(made: T | Promise<T>): made is T {
  return !(made instanceof Promise);
}

function isMarkup(path: string): boolean {
  return ['html', 'htm'].includes(extension(path));
}

function isWarning({ severity }: Problem): boolean {
  return severity === 'warning';
}

/** A package that several files miss is added once; a mistake that several read is one. */
function* eachOnce(problems: readonly Problem[]): Generator<Problem> {
  const said = new Set<string>();
  for (const problem of problems) {
    const { kind, path, line, column, sentence } = problem;
    const key = kind === 'package' ? problem.packageName : [path, line, column, sentence].join();
    if (said.has(key)) continue;
    said.add(key);
    yield problem;
  }
}

/** "src/App.tsx:3:14" in a stack whose addresses are the project's paths. */
const stackPlace = /([^\s()]+):(\d+):(\d+)/g;
