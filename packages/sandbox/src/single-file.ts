/**
 * A project as one HTML file that runs from disk and that an import opens again.
 *
 * The file has, in this order: the project's files as JSON (`projectElement`), the licenses of its
 * packages, its binary files as Base64, what runs as JSON (`runElement`), and the script that runs it
 * (frame/single-file/main.ts). JSON is written without `<`, so nothing in a file can end its element.
 */
import { isRecord } from '@vitrine/project';

/** A text, or the number of a binary file. */
export type SingleFileContent = string | number;

/** The project's own files. */
export interface SingleFileSource {
  /** Version of this format. */
  version: 1;
  title: string;
  files: [path: string, content: SingleFileContent][];
}

/** What runs. */
export interface SingleFileRun {
  /** Path of the page that opens first. */
  entry: string;
  /** `mapEnd` is the index in `html` after the import map; 0 if there is none. */
  pages: [path: string, html: string, mapEnd: number][];
  /**
   * Sorted so that each file refers only to earlier ones. Null is the content of the project's file with
   * that path.
   */
  files: [path: string, content: SingleFileContent | null, mediaType: string][];
}

/** Parameter of the file's URL: path of the page that is shown. Without it, the entry page is. */
export const singleFilePageParameter = 'vitrine-page';

/** Scheme of the specifiers of packages: `vitrine-package:/npm/three@0.187.0~…` */
export const packageScheme = 'vitrine-package:';

export const projectElement = { id: 'vitrine-project', type: 'application/json' } as const;
export const runElement = { id: 'vitrine-run', type: 'application/json' } as const;
/** Attribute of the elements with binary files, whose value is the number. */
export const binaryAttribute = 'data-vitrine-binary';

const projectStart = `<script type="${projectElement.type}" id="${projectElement.id}">`;
/** The project's element starts within this many bytes of the file. */
const headBytes = 4_096;

/** Whether a file may be a project as one HTML file. Reads its first bytes only. */
export async function isSingleFile(file: Blob): Promise<boolean> {
  return (await file.slice(0, headBytes).text()).includes(projectStart);
}

/**
 * Reads the project's files. Nothing in the file runs. Paths and contents are unchecked, because
 * anyone can write such a file.
 *
 * @returns Undefined if the text isn't a project as one HTML file, or one of a later version.
 */
export function parseSingleFile(
  html: string,
):
  | { title: string; files: [path: string, content: string | Uint8Array<ArrayBuffer>][] }
  | undefined {
  const source: unknown = parseJson(readElement(html, projectStart) ?? '');
  if (!isRecord(source) || source['version'] !== 1 || typeof source['title'] !== 'string')
    return undefined;
  const entries: unknown = source['files'];
  if (!Array.isArray(entries)) return undefined;
  const files = entries.map((entry: unknown): [string, string | Uint8Array<ArrayBuffer>] | null => {
    const [path, content]: unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof path !== 'string') return null;
    if (typeof content === 'string') return [path, content];
    const base64 = typeof content === 'number' ? readElement(html, openBinary(content)) : undefined;
    const bytes = base64 === undefined ? undefined : decodeBase64(base64);
    return bytes ? [path, bytes] : null;
  });
  const complete = files.filter((file) => file !== null);
  return complete.length === files.length ? { title: source['title'], files: complete } : undefined;
}

/** Writes an element with JSON. No content of a file can end it. */
export function writeJsonElement(
  { id, type }: { id: string; type: string },
  value: unknown,
): string {
  // Any "<" could begin "</script>" or "<!--".
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return `<script type="${type}" id="${id}">${json}</script>\n`;
}

/** Start tag of the element with a binary file. */
export function openBinary(number: number): string {
  return `<script type="application/octet-stream" ${binaryAttribute}="${number}">`;
}

/** Decodes Base64; undefined if it isn't. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** Text of the element that starts with a tag. */
function readElement(html: string, tag: string): string | undefined {
  const start = html.indexOf(tag);
  if (start === -1) return undefined;
  const end = html.indexOf('</script>', start);
  return end === -1 ? undefined : html.slice(start + tag.length, end);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
