/** Responses for files of a project: their text or their compiled output. */
import { compilerGeneration, instrumentHtml, serializeMap } from '@vitrine/compiler';
import { findFilePath } from '../file-urls.ts';
import {
  chooseOutput,
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
  const audience: ResourceAudience = project.isPrivate ? 'same-origin' : 'anyone';
  const form = chooseOutput(path, file);
  const headers = new Headers(
    fileHeaders(outputMediaType(path, form), context.appOrigins, audience),
  );
  const tag = tagOf(form, file, context);
  headers.set('ETag', `"${project.id}-${project.revision}-${tag}"`);
  // Reading a script and running it get different responses.
  if (dependsOnDestination(path)) headers.set('Vary', 'Sec-Fetch-Dest');
  if (request.headers.get('If-None-Match') === headers.get('ETag'))
    return new Response(null, { status: 304, headers });
  return new Response(await makeBody(file, form, context), { headers });
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
  const text = path === undefined ? undefined : project.files.get(path);
  if (!pathname.endsWith('.map') || path === undefined || text === undefined) return undefined;
  const { map } = await context.compiled.find(project, { path, text }, context.client);
  const audience: ResourceAudience = project.isPrivate ? 'same-origin' : 'anyone';
  const headers = fileHeaders('application/json', context.appOrigins, audience);
  return map ? new Response(serializeMap(map), { headers }) : undefined;
}
