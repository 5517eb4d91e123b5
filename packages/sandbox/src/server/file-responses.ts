/** Responses for files of a project: their text or their compiled output. */
import { compilerGeneration, instrumentHtml, serializeMap } from '@vitrine/compiler';
import { getMediaType, type AssetFile, type ByteRange, type ProjectFile } from '@vitrine/project';
import { findByteRange, setRangeHeaders } from '../byte-range.ts';
import { findFilePath } from '../file-urls.ts';
import {
  chooseOutput,
  isServedAsIs,
  outputText,
  outputMediaType,
  dependsOnDestination,
  type OutputKind,
  type OutputRequest,
} from '../file-outputs.ts';
import { fileHeaders, pagePermissionsPolicy, type ResourceAudience } from '../headers.ts';
import { instrumentWorkerScript, isWorkerDestination } from '../worker-prefix.ts';
import type { CompileClient } from './compile-pool.ts';
import type { CompileCache, ServedProject } from './compile-cache.ts';

export interface FileResponseContext {
  /** Client that files are compiled for. */
  client: CompileClient;
  appOrigins: readonly string[];
  /** URL of the first script of documents; it ends with the script's hash. */
  frameUrl: string;
  /** URL of the first script of workers; it ends with the script's hash. */
  workerScriptUrl: string;
  compiled: CompileCache;
  /** Whether the project was read with a user's access token, so that others may not see the same. */
  isPersonal: boolean;
}

/** A request for a project file. */
interface FileRequest extends OutputRequest {
  project: ServedProject;
  path: string;
  text: string;
}

/**
 * Responds with a file.
 *
 * @throws {CompileError} If the file can't be compiled now.
 */
export async function respondFile(
  request: Request,
  file: FileRequest,
  context: FileResponseContext,
): Promise<Response> {
  const { project, path } = file;
  const form = chooseOutput(path, file);
  const tag = `${project.id}-${project.revision}-${tagOf(form, file, context)}`;
  const headers = createHeaders(file, outputMediaType(path, form), tag, context);
  if (form === 'text') setImmutable(headers, project, context);
  if (form === 'page') {
    // The header itself, because a page can write the destination into a URL.
    const destination = request.headers.get('Sec-Fetch-Dest');
    headers.set('Permissions-Policy', pagePermissionsPolicy(destination));
    headers.set('Vary', 'Sec-Fetch-Dest');
  }
  return respondUnlessKnown(request, headers, () => makeBody(file, form, context));
}

/** Reads an asset's bytes, or a part of them. Undefined if they were never uploaded. */
export type ReadBytes = (
  range?: ByteRange,
) => Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined>;

/**
 * Responds with an asset: its bytes or a range of them, as a stream, or a page or module made from
 * its text. Undefined if there are no bytes.
 *
 * @throws {CompileError} If a page or module can't be compiled now.
 */
export async function respondAsset(
  request: Request,
  file: Omit<FileRequest, 'text'>,
  { hash, size, mediaType }: AssetFile,
  readBytes: ReadBytes,
  context: FileResponseContext,
): Promise<Response | undefined> {
  if (!isServedAsIs(chooseOutput(file.path, file))) {
    const bytes = await readBytes();
    if (!bytes) return undefined;
    return respondFile(request, { ...file, text: await new Response(bytes).text() }, context);
  }
  const headers = createHeaders(file, mediaType, hash, context);
  setImmutable(headers, file.project, context);
  return respondBytes(request, headers, size, readBytes);
}

/** Responds with the bytes of an asset, or with the requested part of them. */
async function respondBytes(
  request: Request,
  headers: Headers,
  size: number,
  readBytes: ReadBytes,
): Promise<Response | undefined> {
  if (isNotModified(request, headers)) return new Response(null, { status: 304, headers });
  const range = findByteRange(request.headers, size, headers.get('ETag'));
  const status = setRangeHeaders(headers, range, size);
  if (range === 'unsatisfiable') return new Response(null, { status, headers });
  const body = await readBytes(range);
  return body && new Response(body, { status, headers });
}

/**
 * Responds with a file as it is, to read and not to run: pages are plain text, and the sandbox keeps
 * the scripts of a picture from running where it is opened in a tab.
 */
export async function respondRaw(
  request: Request,
  { project, path, content }: { project: ServedProject; path: string; content: ProjectFile },
  readBytes: ReadBytes,
  context: FileResponseContext,
): Promise<Response | undefined> {
  const isText = content.kind === 'text';
  const mediaType = rawMediaType(isText ? getMediaType(path) : content.mediaType);
  const tag = isText ? `${project.id}-${project.revision}-raw` : content.hash;
  const headers = createHeaders({ project, path }, mediaType, tag, context);
  headers.delete('Vary');
  const policy = headers.get('Content-Security-Policy') ?? '';
  headers.set('Content-Security-Policy', `${inertPolicy}; ${policy}`);
  if (findAudience(project, context) === 'anyone') headers.set('Access-Control-Allow-Origin', '*');
  setImmutable(headers, project, context);
  return isText
    ? respondUnlessKnown(request, headers, async () => content.text)
    : respondBytes(request, headers, content.size, readBytes);
}

const inertPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** Types that browsers download, or show as pages, are sent as plain text. */
function rawMediaType(mediaType: string): string {
  return /^(?:text\/(?!css|javascript|csv|vtt)|application\/xml)/.test(mediaType)
    ? 'text/plain; charset=utf-8'
    : mediaType;
}

/** Who may load a response: it depends on the project, and on the rights it was read with. */
function findAudience(
  project: ServedProject,
  { isPersonal }: Pick<FileResponseContext, 'isPersonal'>,
): ResourceAudience {
  return project.isPrivate || isPersonal ? 'same-origin' : 'anyone';
}

/**
 * A version's files never change. Only the browser keeps them that long, since the project may become
 * private; and only what visitors may see, since users sign out.
 */
function setImmutable(
  headers: Headers,
  project: ServedProject,
  context: Pick<FileResponseContext, 'isPersonal'>,
): void {
  if (project.version !== undefined && findAudience(project, context) === 'anyone')
    headers.set('Cache-Control', 'private, max-age=31536000, immutable');
}

function createHeaders(
  { project, path }: Pick<FileRequest, 'project' | 'path'>,
  mediaType: string,
  tag: string,
  context: FileResponseContext,
): Headers {
  const audience = findAudience(project, context);
  const headers = new Headers(fileHeaders(mediaType, context.appOrigins, audience));
  headers.set('ETag', `"${tag}"`);
  // Reading a script and running it get different responses.
  if (dependsOnDestination(path)) headers.set('Vary', 'Sec-Fetch-Dest');
  return headers;
}

/** Responds with the body, or with 304 if the browser has it. */
async function respondUnlessKnown(
  request: Request,
  headers: Headers,
  makeBody: () => Promise<string>,
): Promise<Response> {
  if (isNotModified(request, headers)) return new Response(null, { status: 304, headers });
  return new Response(await makeBody(), { headers });
}

function isNotModified(request: Request, headers: Headers): boolean {
  return request.headers.get('If-None-Match') === headers.get('ETag');
}

/** ETag part that differs between outputs and between builds of our scripts. */
function tagOf(
  form: OutputKind,
  { destination }: OutputRequest,
  { frameUrl, workerScriptUrl }: FileResponseContext,
): string {
  if (form === 'text') return 'file';
  const isWorkerScript = form === 'script' && isWorkerDestination(destination);
  const script = isWorkerScript ? workerScriptUrl : form === 'page' ? frameUrl : '';
  const build = script === '' ? '' : `-${script.slice(-16)}`;
  return `${form.replace('?', '')}-${compilerGeneration}${build}`;
}

async function makeBody(
  { project, path, text, destination }: FileRequest,
  form: OutputKind,
  { compiled, frameUrl, workerScriptUrl, client }: FileResponseContext,
): Promise<string> {
  if (form === 'text') return text;
  const { map, ...output } = await compiled.find(project, { path, text }, client);
  const body = outputText(path, { text, ...output }, form);
  if (form === 'page') {
    const data = { revision: project.revision, path };
    return instrumentHtml(body, { src: frameUrl, data });
  }
  if (form === 'script' && isWorkerDestination(destination))
    return instrumentWorkerScript(body, workerScriptUrl);
  const isCode = form === 'script' || form === 'style';
  return map && isCode ? `${body}\n${mapComment(path, form)}` : body;
}

/** Source map comment; the map's URL is relative to the file. */
function mapComment(path: string, form: 'script' | 'style'): string {
  const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  const comment = `# sourceMappingURL=${name}.map`;
  return form === 'style' ? `/*${comment} */` : `//${comment}`;
}

/** Responds with a source map: that of `src/App.tsx` is at `src/App.tsx.map`, unless the project has such a file. */
export async function respondSourceMap(
  project: ServedProject,
  pathname: string,
  context: FileResponseContext,
): Promise<Response | undefined> {
  const path = findFilePath(pathname.replace(/\.map$/, ''), (found) => project.files.has(found));
  const file = path === undefined ? undefined : project.files.get(path);
  if (!pathname.endsWith('.map') || path === undefined || file?.kind !== 'text') return undefined;
  const { map } = await context.compiled.find(project, { path, text: file.text }, context.client);
  const audience = findAudience(project, context);
  const headers = fileHeaders('application/json', context.appOrigins, audience);
  return map ? new Response(serializeMap(map), { headers }) : undefined;
}
