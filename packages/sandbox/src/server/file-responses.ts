/** Responses for files of a project: their text or their compiled output. */
import { compilerGeneration, instrumentHtml, serializeMap } from '@vitrine/compiler';
import type { AssetFile } from '@vitrine/project';
import { findByteRange, setRangeHeaders, type ByteRange } from '../byte-range.ts';
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
import { fileHeaders, type ResourceAudience } from '../headers.ts';
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
  if (isNotModified(request, headers)) return new Response(null, { status: 304, headers });
  const range = findByteRange(request.headers, size, headers.get('ETag'));
  const status = setRangeHeaders(headers, range, size);
  if (range === 'unsatisfiable') return new Response(null, { status, headers });
  const body = await readBytes(range);
  return body && new Response(body, { status, headers });
}

function createHeaders(
  { project, path }: Pick<FileRequest, 'project' | 'path'>,
  mediaType: string,
  tag: string,
  { appOrigins }: FileResponseContext,
): Headers {
  const audience: ResourceAudience = project.isPrivate ? 'same-origin' : 'anyone';
  const headers = new Headers(fileHeaders(mediaType, appOrigins, audience));
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
  const audience: ResourceAudience = project.isPrivate ? 'same-origin' : 'anyone';
  const headers = fileHeaders('application/json', context.appOrigins, audience);
  return map ? new Response(serializeMap(map), { headers }) : undefined;
}
