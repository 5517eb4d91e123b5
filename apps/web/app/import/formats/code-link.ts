/*
 * Links that contain a project: `/new#code=1.DATA`. DATA is the JSON of `CodeLinkContent` in UTF-8,
 * compressed as `deflate-raw`, in Base64 for URLs without padding; "1" is the version of this
 * format. Browsers don't send the part after "#" to any server.
 */
import { isRecord, VitrineError } from '@vitrine/project';
import type { ImportedFiles } from '../imported-project.ts';
import { decodeBase64, decompress, damaged, parseLinkJson } from './decode.ts';

interface CodeLinkContent {
  readonly title: string;
  /** Text files. Pairs, because a path such as "__proto__" can't be a key in every language. */
  readonly files: readonly (readonly [path: string, text: string])[];
  /** Paths of the project's assets, whose bytes aren't in the link. */
  readonly assets?: readonly string[];
}

/** Length up to which chats, trackers and mail programs keep links whole; GitHub takes 65,536. */
const maxLinkLength = 64_000;

const prefix = '#code=';
const version = '1.';

/** The link that opens these files. Rejects with `link_too_long`. */
export async function createCodeLink(origin: string, content: CodeLinkContent): Promise<string> {
  const stream = new Blob([JSON.stringify(content)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
  const link = `${origin}/new${prefix}${version}${data}`;
  if (link.length > maxLinkLength) throw new VitrineError('link_too_long', `${link.length}`);
  return link;
}

/** Whether the part of an address after its "#", with it, contains a project. */
export function isCodeHash(hash: string): boolean {
  return hash.startsWith(prefix);
}

/**
 * Reads the project in a link's hash. Rejects with `link_damaged`, also for a version that this
 * instance doesn't know, or `project_too_large`.
 */
export async function readCodeHash(hash: string): Promise<ImportedFiles> {
  const data = hash.slice(prefix.length);
  if (!data.startsWith(version)) throw damaged();
  const content = parseLinkJson(
    await decompress(decodeBase64(data.slice(version.length)), 'deflate-raw'),
  );
  if (!isRecord(content) || !Array.isArray(content['files'])) throw damaged();
  const files = new Map<string, string>();
  for (const pair of content['files']) {
    const [path, text]: unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof path !== 'string' || typeof text !== 'string') throw damaged();
    files.set(path, text);
  }
  const { title, assets } = content;
  const left = Array.isArray(assets) ? assets.filter((path) => typeof path === 'string') : [];
  return {
    ...(typeof title === 'string' && { title }),
    files,
    leftOut: left.map((path) => ({ path, reason: 'binary' })),
  };
}
