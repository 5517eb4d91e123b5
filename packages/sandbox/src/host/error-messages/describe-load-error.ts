/** Messages for files that the page requested and that failed to load. */
import {
  findClosestFile,
  createMissingFileFixes,
  isStylePath,
  resolvePath,
  type MissingFileUse,
} from '@vitrine/compiler';
import type { LoadErrorCause, LoadError } from '../../runtime-error-messages.ts';
import type { SourceLocation } from '../../protocol.ts';
import type { SourceDiagnostic } from '../diagnostics.ts';
import type { ProjectView } from '../project-view.ts';
import { parsePackageUrl } from './package-url.ts';

export function describeLoadError(reported: LoadError, project: ProjectView): SourceDiagnostic {
  const error = withPackageFile(reported);
  const file = error.file === '' ? (resolvePath(error.page, error.written) ?? '') : error.file;
  const isProjectFile = file !== '' && !file.startsWith('__vitrine/');
  const found = findLocation(error, file, project);
  const severity = scriptInitiators.has(error.by) ? {} : ({ severity: 'warning' } as const);
  const base = { kind: 'resource', stack: '', address: error.written } as const;
  const problem = { ...base, ...(found?.location ?? unknownLocation), ...severity };
  if (error.written === '' && error.attribute !== undefined) {
    const message = `Empty “${error.attribute}” attribute on <${error.by}>.`;
    return { ...problem, message, severity: 'warning' };
  }
  if (error.written === '')
    return { ...problem, module: error.page, message: explainInlineScript(error) };
  if (!isProjectFile) return { ...problem, message: explainExternal(error), severity: 'warning' };
  if (error.rule !== undefined)
    return { ...problem, message: describeNetworkRule(file, error.rule), severity: 'warning' };
  if (project.paths.includes(file))
    return { ...problem, module: file, message: explainUnusable(error, file) };
  const use = uses.get(error.by) ?? 'media';
  const near = findClosestFile(file, project.paths, use);
  const question = near === undefined ? explainBuild(file) : ` Did you mean “${near}”?`;
  const message = `Can’t find “${file}”.${question}`;
  // The compiler reports the package that isn't installed.
  if (file.startsWith('node_modules/')) return { ...problem, module: error.page, message };
  const fixes = found?.written
    ? createMissingFileFixes(found.text, found.location, found.written, project.paths, use)
    : [];
  return { ...problem, message, fixes };
}

/** Writes the URL of a package's published file as pages do: "http://host/npm/a@1.0.0~HASH/-/b.js" → "node_modules/a/b.js" */
function withPackageFile(error: LoadError): LoadError {
  const [, name, file] =
    /^\/npm\/((?:@[^/@]+\/)?[^/@]+)@[^/]+\/-\/([^?#]+)/.exec(
      error.written.startsWith(`${location.origin}/`)
        ? error.written.slice(location.origin.length)
        : '',
    ) ?? [];
  const written = `node_modules/${name}/${file}`;
  return name === undefined ? error : { ...error, written, file: written };
}

/** Hint for a missing file that looks like the output of a build. */
function explainBuild(file: string): string {
  return /^(?:public\/)?(?:build|dist|out)\/|\bbundle\.(?:css|js)$/.test(file)
    ? ' Builds don’t run here, so load the source file instead.'
    : '';
}

/** Uses by initiator; those of other elements are media. */
const uses: ReadonlyMap<string, MissingFileUse> = new Map([
  ['script', 'module'],
  ['worker', 'module'],
  ['sharedworker', 'module'],
  ['link', 'style'],
  ['css', 'style'],
  ['iframe', 'page'],
  ['fetch', 'data'],
  ['xmlhttprequest', 'data'],
]);

/** Initiators whose failure keeps code from running; all others are warnings. */
const scriptInitiators: ReadonlySet<string> = new Set(['script', 'worker', 'sharedworker']);

/** Message for a request that one of the user's network rules failed. */
export function describeNetworkRule(what: string, pattern: string): string {
  return `${what} failed because of your network rule “${pattern}”.`;
}

const unknownLocation: SourceLocation = { path: '', line: 0, column: 0 };

/** Message for a project file that exists and that the browser could not use. */
function explainUnusable({ by, status, causes = [] }: LoadError, file: string): string {
  if (scriptInitiators.has(by)) {
    if (causes.length === 0) return `${file} failed to load one of its imports.`;
    return (
      findMissingSubpath(causes) ??
      `${file} failed to load: ${causes.map(explainCause).join(', ')}.`
    );
  }
  if (status > 0) return `${file} failed to load (status ${status}).`;
  return pictures.has(by)
    ? `${file} isn’t an image the browser can show.`
    : `${file} failed to load.`;
}

function explainInlineScript({ causes = [] }: LoadError): string {
  return causes.length === 0
    ? 'This script failed to load one of its imports.'
    : (findMissingSubpath(causes) ??
        `This script failed to load: ${causes.map(explainCause).join(', ')}.`);
}

/** Message for the first import of a path that its package doesn't have. */
function findMissingSubpath(causes: readonly LoadErrorCause[]): string | undefined {
  for (const { address, status } of causes) {
    const found = status === 404 ? parsePackageUrl(address) : undefined;
    if (found && found.subpath !== '')
      return `Can’t find “${found.name}${found.subpath}” in the package “${found.name}”.`;
  }
  return undefined;
}

/** "App.tsx (404)", "App.tsx (served as text/plain, not JavaScript)" */
function explainCause({ address, file, status, mediaType }: LoadErrorCause): string {
  const packageModule = parsePackageUrl(address);
  const name = packageModule
    ? packageModule.name + packageModule.subpath
    : file || truncate(address);
  if (status === 0) return `${name} (network error)`;
  if (status >= 400) return `${name} (${status})`;
  return `${name} (served as ${mediaType}, not JavaScript)`;
}

function explainExternal({ written, status, by }: LoadError): string {
  const shown = truncate(written);
  const isInline = /^(?:data|blob):/i.test(written);
  if (isInline && pictures.has(by)) return `${shown} isn’t an image the browser can show.`;
  if (isInline) return `${shown} can’t be read.`;
  if (status > 0) return `${shown} failed to load (status ${status}${explainStatus(status)}).`;
  return `${shown} failed to load. It may not exist, or the host may be unreachable.`;
}

/** Elements that show an image. */
const pictures: ReadonlySet<string> = new Set(['img', 'image', 'input']);

function truncate(address: string): string {
  return address.length > 80 ? `${address.slice(0, 80)}…` : address;
}

function explainStatus(status: number): string {
  if (status === 404) return ', not found';
  if (status === 401 || status === 403) return ', access denied';
  if (status === 429) return ', too many requests';
  return status >= 500 ? ', server error' : '';
}

interface Occurrence {
  text: string;
  /** URL as it is written there; '' if a script computes it. */
  written: string;
  location: SourceLocation;
}

/** Finds where the failed URL is written. For a script that loaded and has a failed import, that is the import. */
function findLocation(
  error: LoadError,
  file: string,
  project: ProjectView,
): Occurrence | undefined {
  const { page, location, causes = [], attribute } = error;
  if (attribute !== undefined && error.written === '')
    return findEmptyAttribute(error, attribute, project);
  const called = location && findAtCall(error.written, location, project);
  if (called) return called;
  for (const { address, file: own } of causes) {
    if (own === '' ? address === error.written : own === file) continue;
    const found = parsePackageUrl(address);
    const written = found ? found.name + found.subpath : address;
    const imported = findWritten({ by: 'import', written, page }, own, project);
    if (imported) return imported;
  }
  if (error.written === '') return findFirst(/<script\b[^>]*\bmodule\b/i, page, project);
  return findWritten(error, file, project);
}

function findAtCall(
  written: string,
  { path, line, column }: SourceLocation,
  project: ProjectView,
): Occurrence | undefined {
  const text = project.read(path);
  if (text === undefined) return undefined;
  const at = indexOfWhole(text.split('\n')[line - 1] ?? '', written);
  return at === -1
    ? { text, written: '', location: { path, line, column } }
    : { text, written, location: { path, line, column: at + 1 } };
}

function findEmptyAttribute({ by, page }: LoadError, attribute: string, project: ProjectView) {
  const tag = String.raw`<${escape(by)}\b[^>]*\s${escape(attribute)}(?:\s*=\s*(?:""|''))?(?=[\s/>])`;
  return findFirst(new RegExp(tag, 'i'), page, project);
}

function findFirst(pattern: RegExp, path: string, project: ProjectView): Occurrence | undefined {
  const text = project.read(path) ?? '';
  const found = pattern.exec(text);
  return found
    ? { text, written: '', location: { path, ...positionOf(text, found.index) } }
    : undefined;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Finds a URL in the source: for an element in the page; for CSS in stylesheets first; else in the first file that contains it. */
function findWritten(
  { written, page, by }: Pick<LoadError, 'written' | 'page' | 'by'>,
  file: string,
  project: ProjectView,
): Occurrence | undefined {
  const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(written);
  const isElement = isRelative && !['fetch', 'xmlhttprequest', 'css', 'import'].includes(by);
  const name = file.slice(file.lastIndexOf('/') + 1);
  const others = file === '' ? [] : [`/${file}`, `./${file}`, file, name];
  const forms = isElement ? [written] : [written, ...others];
  const rest = project.paths.filter(
    (path) =>
      path !== page && /\.(?:\w*[jt]sx?|p?css|postcss|html?|vue|svelte|s[ac]ss|less)$/.test(path),
  );
  const all = [page, ...rest];
  const ordered = by === 'css' ? [...all.filter(isStylePath), ...all] : all;
  for (const path of ordered) {
    const text = project.read(path);
    if (text === undefined) continue;
    for (const form of forms) {
      const at = form === '' ? -1 : indexOfWhole(text, form);
      if (at !== -1) return { text, written: form, location: { path, ...positionOf(text, at) } };
    }
  }
  return undefined;
}

/** Index of a URL in a text, not as part of a longer one; -1 if it isn't there. */
function indexOfWhole(text: string, address: string): number {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + address.length] ?? ' ';
    if (/[\s"'`(=/.]/.test(before) && /[\s"'`)>?#]/.test(after)) return at;
  }
  return -1;
}

function positionOf(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
