/** Diagnostics of a compiled file: its errors, and the files and packages it is missing. */
import { findClosestFile, createMissingFileFixes, resolveMissing } from '@vitrine/compiler';
import { isBuildTool } from '@vitrine/esm/lockfile';
import type { CompileOutput } from './project-compiler.ts';
import type { PreviewDiagnostic } from './diagnostics.ts';

/** Maximum number of diagnostics per file; one mistake can cause many. */
const maxDiagnostics = 10;

interface CompiledSource {
  path: string;
  text: string;
  /** All files of the project. */
  paths: readonly string[];
}

export function describeCompileOutput(
  source: CompiledSource,
  file: CompileOutput,
): PreviewDiagnostic[] {
  const { path } = source;
  const stack = '';
  return [
    ...file.problems.map((problem): PreviewDiagnostic => ({
      kind: 'syntax',
      path,
      stack,
      ...problem,
    })),
    ...file.absent.map((absent) => describeMissingFile(source, absent)),
    ...file.missing.map(({ packageName, line, column }): PreviewDiagnostic => {
      if (isBuildTool(packageName))
        return {
          kind: 'resource',
          sentence: `“${packageName}” is a build tool, which runs in Node.js. Previews don’t need it.`,
          path,
          stack,
          line,
          column,
        };
      const sentence = describeMissingPackage(packageName);
      const code = 'package_missing';
      return { kind: 'package', code, packageName, sentence, path, stack, line, column };
    }),
  ].slice(0, maxDiagnostics);
}

function describeMissingFile(
  { path, text, paths }: CompiledSource,
  { specifier, line, column }: CompileOutput['absent'][number],
): PreviewDiagnostic {
  const resolved = resolveMissing(path, specifier);
  const others = paths.filter((other) => other !== path);
  const near = resolved === undefined ? undefined : findClosestFile(resolved, others);
  const question = near === undefined ? '' : ` Did you mean ${near}?`;
  const sentence = specifier.startsWith('node:')
    ? `“${specifier}” is a Node.js module and isn’t available in browsers.`
    : `Can’t find “${specifier}”.${question}`;
  const location = { path, line, column };
  const fixes = createMissingFileFixes(text, location, specifier, others);
  return { kind: 'resource', sentence, stack: '', fixes, ...location };
}

function describeMissingPackage(name: string): string {
  return nodeBuiltins.has(name)
    ? `“${name}” is a Node.js module and isn’t available in browsers. A package with the same name may work instead.`
    : `“${name}” isn’t installed.`;
}

const nodeBuiltins = new Set(
  `assert buffer child_process cluster crypto dns events fs http http2 https module net os path
  perf_hooks process querystring readline stream string_decoder timers tls tty url util v8 vm
  worker_threads zlib`.split(/\s+/),
);
