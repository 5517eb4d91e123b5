/**
 * What the app has on its way to what runs: scripts are compiled, and those that do not compile, or
 * import what is not there, keep their last good form while the rest goes on.
 */
import { isScriptPath, readFacts } from '@vitrine/compiler';
import { extension } from '@vitrine/project';
import type { CodePlace } from '../protocol.ts';
import { passed, type Compiled, type ProjectCompiler } from './project-compiler.ts';
import type { Problem } from './preview-state.ts';
import type { Sources } from './sources.ts';

export interface Intake {
  /** What keeps files of the newest set from running. */
  readonly problems: readonly Problem[];
  /** Takes the app's whole set; calls `onAccepted` when something new may run, perhaps later. */
  take(files: ReadonlyMap<string, string>): void;
  /** Compiles the files that the preview began with, once; done when each has its form. */
  prepare(): Promise<void>;
  /** Whether places in this file are those of what it was compiled to, and `prepare` is not done. */
  isUnprepared(path: string): boolean;
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

export function createIntake({ sources, compiler, onProblems, onAccepted }: IntakeOptions): Intake {
  /** By path; gone when the file is put right, or goes. */
  const problems = new Map<string, readonly Problem[]>();
  /** The number of the newest compilation of a path: what comes late changes nothing. */
  const newest = new Map<string, number>();
  let count = 0;
  let prepared: Promise<void> | undefined;
  let isPrepared = false;

  return {
    get problems() {
      return [...packagesOnce([...problems.values()].flat())];
    },
    take(files) {
      const { changed, removed } = sources.take(files);
      if (changed.length === 0 && removed.length === 0) return;
      for (const path of removed) settle(path, []);
      const stale = compiler.setFacts(readFacts(files))
        ? [...files.keys()].filter((path) => !changed.includes(path) && isCompiled(path))
        : [];
      const plain = changed.filter((path) => !isCompiled(path));
      for (const path of plain) settle(path, []);
      const compiled = [...changed, ...stale].filter(isCompiled);
      if (compiled.length === 0) accept(new Map(plain.map((path) => [path, passed])), removed);
      else void compileAll(compiled, plain, removed);
    },
    prepare: () => (prepared ??= prepare()),
    isUnprepared: (path) => !isPrepared && isScriptPath(path),
    locate(place) {
      const found = sources.findOriginal(place.path, place);
      return found ? { ...place, ...found } : place;
    },
    locateStack: (stack) =>
      stack.replace(stackPlace, (whole, path: string, line: string, column: string) => {
        const found = sources.findOriginal(path, { line: Number(line), column: Number(column) });
        return found ? `${path}:${found.line}:${found.column}` : whole;
      }),
    close: () => compiler.close(),
  };

  function isCompiled(path: string): boolean {
    const text = sources.findTaken(path) ?? '';
    return isScriptPath(path) || (isPage(path) && /<script/i.test(text));
  }

  async function compileAll(paths: string[], plain: string[], removed: string[]): Promise<void> {
    const files = new Map(plain.map((path) => [path, passed]));
    const results = await Promise.all(paths.map((path) => compileTaken(path)));
    results.forEach((file, index) => {
      const path = paths[index] ?? '';
      if (file && sources.differs(path, file)) files.set(path, file);
    });
    accept(files, removed);
  }

  /** Undefined where it must not run, or a newer text is on its way. */
  async function compileTaken(path: string): Promise<Compiled | undefined> {
    const number = ++count;
    newest.set(path, number);
    const file = await compiler.compile(path, sources.findTaken(path) ?? '');
    if (newest.get(path) !== number) return undefined;
    const found = describeAll(path, file);
    settle(path, found);
    return found.length === 0 ? file : undefined;
  }

  function accept(files: ReadonlyMap<string, Compiled>, removed: string[]): void {
    // What was removed while others were compiled may be there again.
    const gone = removed.filter((path) => sources.findTaken(path) === undefined);
    if (files.size === 0 && gone.length === 0) return;
    sources.accept(files, gone);
    onAccepted();
  }

  async function prepare(): Promise<void> {
    const texts = new Map([...sources.paths].map((path) => [path, sources.read(path) ?? '']));
    // Also what runs as it is: who imports what is known of all, before the first edit.
    const wanted = [...texts].filter(
      ([path, text]) => isScriptPath(path) || (isPage(path) && /<script/i.test(text)),
    );
    const files = await Promise.all(wanted.map(([path, text]) => prepareFile(path, text)));
    isPrepared = true;
    if (files.some(({ isLost }) => isLost)) prepared = undefined;
  }

  /** A file that has been edited meanwhile has a newer form, or problems of its own. */
  async function prepareFile(path: string, text: string): Promise<Compiled> {
    const before = newest.get(path);
    const file = await compiler.compile(path, text);
    if (sources.read(path) !== text) return passed;
    sources.setForm(path, file);
    if (newest.get(path) === before) settle(path, describeAll(path, file));
    return file;
  }

  function settle(path: string, found: readonly Problem[]): void {
    newest.set(path, ++count);
    if (found.length > 0) problems.set(path, found);
    else if (!problems.delete(path)) return;
    onProblems();
  }
}

function isPage(path: string): boolean {
  return ['html', 'htm'].includes(extension(path));
}

/** Names of problems that one mistake can cause; more says nothing new. */
const keptProblems = 10;

function describeAll(path: string, { problems, absent, missing }: Compiled): Problem[] {
  const stack = '';
  return [
    ...problems.map((problem): Problem => ({ kind: 'syntax', path, stack, ...problem })),
    ...absent.map(({ specifier, ...place }): Problem => {
      const sentence = `There is no file “${specifier}” in this project.`;
      return { kind: 'resource', sentence, path, stack, ...place };
    }),
    ...missing.map(({ packageName, line, column }): Problem => {
      const sentence = `The package “${packageName}” is not in this project.`;
      const code = 'package_missing';
      return { kind: 'package', code, packageName, sentence, path, stack, line, column };
    }),
  ].slice(0, keptProblems);
}

/** A package that several files miss is added once. */
function* packagesOnce(problems: readonly Problem[]): Generator<Problem> {
  const named = new Set<string>();
  for (const problem of problems) {
    if (problem.kind === 'package') {
      if (named.has(problem.packageName)) continue;
      named.add(problem.packageName);
    }
    yield problem;
  }
}

/** "src/App.tsx:3:14" in a stack whose addresses are the project's paths. */
const stackPlace = /([^\s()@]+):(\d+):(\d+)/g;
