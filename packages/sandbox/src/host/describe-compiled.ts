/** What to tell of a file that was compiled: its mistakes, and the files and packages it lacks. */
import { findNearFile, fixMissingFile, resolvePath } from '@vitrine/compiler';
import type { Compiled } from './project-compiler.ts';
import type { Problem } from './preview-state.ts';

/** Problems that one mistake can cause; more says nothing new. */
const keptProblems = 10;

export interface CompiledSource {
  path: string;
  text: string;
  /** Of all files of the project. */
  paths: readonly string[];
}

export function describeCompiled(source: CompiledSource, file: Compiled): Problem[] {
  const { path } = source;
  const stack = '';
  return [
    ...file.problems.map((problem): Problem => ({ kind: 'syntax', path, stack, ...problem })),
    ...file.absent.map((absent) => describeAbsent(source, absent)),
    ...file.missing.map(({ packageName, line, column }): Problem => {
      const sentence = wordPackage(packageName);
      const code = 'package_missing';
      return { kind: 'package', code, packageName, sentence, path, stack, line, column };
    }),
  ].slice(0, keptProblems);
}

function describeAbsent(
  { path, text, paths }: CompiledSource,
  { specifier, line, column }: Compiled['absent'][number],
): Problem {
  const wanted = resolvePath(path, specifier);
  const others = paths.filter((other) => other !== path);
  const near = wanted === undefined ? undefined : findNearFile(wanted, others);
  const question = near === undefined ? '' : ` Did you mean ${near}?`;
  const sentence = specifier.startsWith('node:')
    ? `“${specifier}” is a Node.js module and isn’t available in browsers.`
    : `Can’t find “${specifier}”.${question}`;
  const place = { path, line, column };
  const fixes = fixMissingFile(text, place, specifier, others);
  return { kind: 'resource', sentence, stack: '', fixes, ...place };
}

function wordPackage(name: string): string {
  return nodeModules.has(name)
    ? `“${name}” is a Node.js module and isn’t available in browsers. A package with this name may replace it.`
    : `“${name}” isn’t installed.`;
}

const nodeModules = new Set(
  `assert buffer child_process cluster crypto dns events fs http http2 https module net os path
  perf_hooks process querystring readline stream string_decoder timers tls tty url util v8 vm
  worker_threads zlib`.split(/\s+/),
);
