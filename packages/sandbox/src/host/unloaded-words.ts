/** What to tell of a file that the page asked for and did not get. */
import { findNearFile, fixMissingFile, resolvePath } from '@vitrine/compiler';
import type { UnloadedCause, UnloadedProblem } from '../problem-messages.ts';
import type { CodePlace } from '../protocol.ts';
import type { CodeProblem } from './preview-state.ts';
import type { ProjectView } from './project-view.ts';

export function describeUnloaded(said: UnloadedProblem, project: ProjectView): CodeProblem {
  const file = said.file === '' ? (resolvePath(said.page, said.written) ?? '') : said.file;
  const isOwn = file !== '' && !file.startsWith('__vitrine/');
  const found = findPlace(said, file, project);
  const severity = starters.has(said.by) ? {} : ({ severity: 'warning' } as const);
  const base = { kind: 'resource', stack: '', address: said.written } as const;
  const problem = { ...base, ...(found?.place ?? nowhere), ...severity };
  if (said.written === '' && said.attribute !== undefined) {
    const sentence = `Empty “${said.attribute}” attribute on <${said.by}>.`;
    return { ...problem, sentence, severity: 'warning' };
  }
  if (said.written === '') return { ...problem, module: said.page, sentence: wordInline(said) };
  if (!isOwn) return { ...problem, sentence: wordForeign(said), severity: 'warning' };
  if (said.rule !== undefined)
    return { ...problem, sentence: wordRule(file, said.rule), severity: 'warning' };
  if (project.paths.includes(file))
    return { ...problem, module: file, sentence: wordUnusable(said, file) };
  const near = findNearFile(file, project.paths);
  const question = near === undefined ? '' : ` Did you mean ${near}?`;
  const sentence = `Can’t find ${file}.${question}`;
  const fixes = found?.written
    ? fixMissingFile(found.text, found.place, found.written, project.paths)
    : [];
  return { ...problem, sentence, fixes };
}

/** Without these, something does not run. */
const starters: ReadonlySet<string> = new Set(['script', 'worker', 'sharedworker']);

/** What asked for it is told the same as of a host that is out of reach. */
export function wordRule(what: string, pattern: string): string {
  return `${what} failed because of your network rule “${pattern}”.`;
}

const nowhere: CodePlace = { path: '', line: 0, column: 0 };

/** It is there, and the browser could do nothing with it. */
function wordUnusable({ by, status, causes = [] }: UnloadedProblem, file: string): string {
  if (starters.has(by)) {
    if (causes.length === 0) return `${file} failed to load one of its imports.`;
    return `${file} failed to load: ${causes.map(wordCause).join(', ')}.`;
  }
  if (status > 0) return `${file} failed to load (status ${status}).`;
  return by === 'img' ? `${file} isn’t an image the browser can show.` : `${file} failed to load.`;
}

function wordInline({ causes = [] }: UnloadedProblem): string {
  return causes.length === 0
    ? 'This script failed to load one of its imports.'
    : `This script failed to load: ${causes.map(wordCause).join(', ')}.`;
}

/** "App.tsx (404)", "App.tsx (served as text/plain, not JavaScript)" */
function wordCause({ address, file, status, mediaType }: UnloadedCause): string {
  const name = file === '' ? shorten(address) : file;
  if (status === 0) return `${name} (network error)`;
  if (status >= 400) return `${name} (${status})`;
  return `${name} (served as ${mediaType}, not JavaScript)`;
}

function wordForeign({ written, status }: UnloadedProblem): string {
  const shown = shorten(written);
  if (status > 0) return `${shown} failed to load (status ${status}${meaning(status)}).`;
  return `${shown} failed to load: it doesn’t exist, or its host is unreachable.`;
}

function shorten(address: string): string {
  return address.length > 80 ? `${address.slice(0, 80)}…` : address;
}

function meaning(status: number): string {
  if (status === 404) return ', not found';
  if (status === 401 || status === 403) return ', access denied';
  if (status === 429) return ', too many requests';
  return status >= 500 ? ', server error' : '';
}

interface Written {
  text: string;
  /** As it stands there; '' where a script makes it up. */
  written: string;
  place: CodePlace;
}

/** Where the page was told to load it: what a script did not get is at the import that led to it. */
function findPlace(said: UnloadedProblem, file: string, project: ProjectView): Written | undefined {
  const { page, place, causes = [], attribute } = said;
  if (attribute !== undefined && said.written === '') return findEmpty(said, attribute, project);
  const called = place && findCalled(said.written, place, project);
  if (called) return called;
  for (const { address, file: own } of causes) {
    const imported = findWritten({ by: 'import', written: address, page }, own, project);
    if (imported) return imported;
  }
  if (said.written === '') return findFirst(/<script\b[^>]*\bmodule\b/i, page, project);
  return findWritten(said, file, project);
}

function findCalled(
  written: string,
  { path, line, column }: CodePlace,
  project: ProjectView,
): Written | undefined {
  const text = project.read(path);
  if (text === undefined) return undefined;
  const at = indexOfWhole(text.split('\n')[line - 1] ?? '', written);
  return at === -1
    ? { text, written: '', place: { path, line, column } }
    : { text, written, place: { path, line, column: at + 1 } };
}

function findEmpty({ by, page }: UnloadedProblem, attribute: string, project: ProjectView) {
  const tag = String.raw`<${escape(by)}\b[^>]*\s${escape(attribute)}(?:\s*=\s*(?:""|''))?(?=[\s/>])`;
  return findFirst(new RegExp(tag, 'i'), page, project);
}

function findFirst(pattern: RegExp, path: string, project: ProjectView): Written | undefined {
  const text = project.read(path) ?? '';
  const found = pattern.exec(text);
  return found ? { text, written: '', place: { path, ...placeAt(text, found.index) } } : undefined;
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** Where the address is written: in the page for its elements, else in whatever file has it first, of what a style asks for in a stylesheet. */
function findWritten(
  { written, page, by }: Pick<UnloadedProblem, 'written' | 'page' | 'by'>,
  file: string,
  project: ProjectView,
): Written | undefined {
  const isRelative = !/^[a-z][a-z0-9+.-]*:/i.test(written);
  const isElement = isRelative && !['fetch', 'xmlhttprequest', 'css', 'import'].includes(by);
  const name = file.slice(file.lastIndexOf('/') + 1);
  const others = file === '' ? [] : [`/${file}`, `./${file}`, file, name];
  const forms = isElement ? [written] : [written, ...others];
  const rest = project.paths.filter(
    (path) => path !== page && /\.(?:\w*[jt]sx?|css|html?|vue|svelte|s[ac]ss|less)$/.test(path),
  );
  const all = [page, ...rest];
  const inOrder = by === 'css' ? [...all.filter(isStyle), ...all] : all;
  for (const path of inOrder) {
    const text = project.read(path);
    if (text === undefined) continue;
    for (const form of forms) {
      const at = form === '' ? -1 : indexOfWhole(text, form);
      if (at !== -1) return { text, written: form, place: { path, ...placeAt(text, at) } };
    }
  }
  return undefined;
}

function isStyle(path: string): boolean {
  return /\.(?:css|s[ac]ss|less)$/.test(path);
}

/** Where a text holds an address that neither goes on nor began before. */
function indexOfWhole(text: string, address: string): number {
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + address.length] ?? ' ';
    if (/[\s"'`(=/.]/.test(before) && /[\s"'`)>?#]/.test(after)) return at;
  }
  return -1;
}

function placeAt(text: string, index: number): { line: number; column: number } {
  const before = text.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
