/** Diagnostics of a compiled file: its errors, and the files and packages it is missing. */
import {
  findClosestFile,
  createMissingFileFixes,
  createReplaceFix,
  resolveMissing,
} from '@vitrine/compiler';
import { isBuildTool } from '@vitrine/esm/lockfile';
import { findMediaType } from '@vitrine/project';
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
    ...file.absent.map((absent) =>
      absent.file === undefined
        ? describeMissingFile(source, absent)
        : describeNonScript(source, absent, absent.file),
    ),
    ...file.missing.map(({ packageName, line, column }): PreviewDiagnostic => {
      const location = { path, stack, line, column };
      const unusable = explainUnusable(packageName);
      if (unusable !== undefined) return { kind: 'resource', message: unusable, ...location };
      const message = describeMissingPackage(packageName);
      return { kind: 'package', code: 'package_missing', packageName, message, ...location };
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
  const question = near === undefined ? '' : ` Did you mean “${near}”?`;
  const message = specifier.startsWith('node:')
    ? describeBuiltin(specifier)
    : `Can’t find “${specifier}”.${question}`;
  const location = { path, line, column };
  const fixes = createMissingFileFixes(text, location, specifier, others);
  return { kind: 'resource', message, stack: '', fixes, ...location };
}

function describeNonScript(
  { path, text }: CompiledSource,
  { specifier, line, column }: CompileOutput['absent'][number],
  file: string,
): PreviewDiagnostic {
  const location = { path, line, column };
  const type = findMediaType(file);
  const served = type === undefined ? '' : ` (served as ${type})`;
  const [queries, hint] = describeQueries(type);
  const fixes = queries
    .map((query) => createReplaceFix(text, location, specifier, specifier + query))
    .filter((fix) => fix !== undefined);
  const message = `${file} isn’t JavaScript${served}, so it can’t be imported. ${hint}`;
  return { kind: 'resource', message, stack: '', fixes, ...location };
}

/** Queries that import a file of this media type, the most likely one first. */
function describeQueries(type: string | undefined): [queries: string[], hint: string] {
  if (type === undefined)
    return [['?url', '?raw'], 'Add “?url” to import its URL, or “?raw” its text.'];
  if (type.startsWith('text/')) return [['?raw', '?url'], 'Add “?raw” to import its text.'];
  return [['?url'], 'Add “?url” to import its URL.'];
}

/** Message for a package that can't help a page if it is installed. */
function explainUnusable(name: string): string | undefined {
  if (isBuildTool(name))
    return `“${name}” is a build tool, which runs in Node.js. Previews don’t need it.`;
  return nodeOnlyBuiltins.has(name) ? describeBuiltin(name) : undefined;
}

function describeBuiltin(specifier: string): string {
  return `“${specifier}” is a Node.js module and isn’t available in browsers.`;
}

function describeMissingPackage(name: string): string {
  return portedBuiltins.has(name)
    ? `${describeBuiltin(name)} A package with the same name may work instead.`
    : `“${name}” isn’t installed.`;
}

/** Built-in modules of Node.js. The packages with these names on npm are empty or for Node.js only. */
const nodeOnlyBuiltins = new Set(
  `async_hooks child_process cluster crypto dgram diagnostics_channel dns fs http http2 https inspector
  module net os perf_hooks readline repl tls tty v8 vm worker_threads zlib`.split(/\s+/),
);

/** Built-in modules of Node.js with a package of the same name on npm that runs in browsers. */
const portedBuiltins = new Set(
  'assert buffer events path process punycode querystring stream string_decoder timers url util'.split(
    ' ',
  ),
);
