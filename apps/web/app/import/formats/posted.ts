import { isRecord, isErrorCode, VitrineError } from '@vitrine/project';
import type { ImportedFiles } from '../imported-project.ts';
import { readCodePenData, splitAddresses } from './codepen.ts';
import { readCodeSandboxParameters, readFilesJson } from './codesandbox.ts';
import { createPageProject, sortResources } from './page-project.ts';

/** What a page of another site has posted to `/prefill`. */
interface PostedImport {
  /** Origin of that page. Undefined if the browser didn't say. */
  readonly from: string | undefined;
  readonly imported: ImportedFiles;
}

/**
 * Reads what `/prefill` has stored: CodePen's `data`, CodeSandbox's `parameters`, StackBlitz's
 * `project[files][PATH]`, JSFiddle's `html`, `css` and `js`, `files` as JSON, or JSON itself.
 * Throws `post_unreadable`, `project_too_large`, or the code of why `/prefill` has refused it.
 */
export function readPosted(stored: string | null): PostedImport {
  const posted = parse(stored ?? '');
  if (!isRecord(posted)) throw unreadable();
  const { from, fields, error } = posted;
  if (isErrorCode(error)) throw new VitrineError(error, 'refused by /prefill');
  const values = new Map<string, string>();
  for (const field of Array.isArray(fields) ? fields : []) {
    const [name, value]: unknown[] = Array.isArray(field) ? field : [];
    if (typeof name === 'string' && typeof value === 'string') values.set(name, value);
  }
  try {
    return { from: typeof from === 'string' ? from : undefined, imported: readFields(values) };
  } catch (cause) {
    if (!(cause instanceof VitrineError) || cause.code === 'project_too_large') throw cause;
    throw unreadable(cause);
  }
}

function readFields(values: ReadonlyMap<string, string>): ImportedFiles {
  const data = values.get('data');
  if (data !== undefined) return readCodePenData(data);
  const parameters = values.get('parameters');
  if (parameters !== undefined) return readCodeSandboxParameters(parameters);
  const title = values.get('title');
  const json = parse(values.get('json') ?? values.get('files') ?? '');
  if (isRecord(json))
    return readFilesJson(
      isRecord(json['files']) ? json : { files: json, ...(title !== undefined && { title }) },
    );
  const files: [path: string, text: string][] = [];
  for (const [name, value] of values) {
    const path = /^project\[files\]\[(.+)\]$/.exec(name)?.[1];
    if (path !== undefined) files.push([path, toLines(value)]);
  }
  if (files.length > 0)
    return readFilesJson({
      files: Object.fromEntries(files),
      title: values.get('project[title]'),
      dependencies: parse(values.get('project[dependencies]') ?? ''),
    });
  if (!['html', 'css', 'js'].some((name) => values.has(name))) throw unreadable();
  const panel = (name: string) => ({ code: toLines(values.get(name) ?? ''), language: name });
  return createPageProject({
    ...(title !== undefined && { title }),
    html: panel('html'),
    css: panel('css'),
    js: panel('js'),
    ...sortResources(splitAddresses((values.get('resources') ?? '').replaceAll(',', ';'))),
  });
}

/** Forms end all lines with CR LF, whatever they were. Texts inside of JSON aren't changed. */
function toLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Undefined for what isn't JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unreadable(cause?: unknown): VitrineError {
  return new VitrineError('post_unreadable', 'not a form that is known', { cause });
}
