/** Responses for files of a project: their text or their compiled output. */
import { compilerGeneration, instrumentHtml, mapText } from '@vitrine/compiler';
import { findFilePath } from '../file-addresses.ts';
import {
  findForm,
  formText,
  formType,
  hasForms,
  type FileForm,
  type FormRequest,
} from '../file-forms.ts';
import { fileHeaders, type Audience } from '../headers.ts';
import { instrumentWorker, isWorkerDestination } from '../worker-prefix.ts';
import type { CompileClient } from './compile-pool.ts';
import type { CompiledFiles, ServedProject } from './compiled-files.ts';

export interface FileContext {
  /** Client that files are compiled for. */
  client: CompileClient;
  appOrigins: readonly string[];
  /** URL of the first script of documents; it ends with the script's hash. */
  frameAddress: string;
  /** URL of the first script of workers; it ends with the script's hash. */
  workerAddress: string;
  compiled: CompiledFiles;
}

/** A request for a project file. */
interface FileRequest extends FormRequest {
  project: ServedProject;
  path: string;
  text: string;
}

/**
 * Responds with a file.
 *
 * @throws {CompileError} If the file can't be compiled now.
 */
export async function answerFile(
  request: Request,
  file: FileRequest,
  context: FileContext,
): Promise<Response> {
  const { project, path } = file;
  const audience: Audience = project.isPrivate ? 'same-origin' : 'anyone';
  const form = findForm(path, file);
  const headers = new Headers(fileHeaders(formType(path, form), context.appOrigins, audience));
  const tag = tagOf(form, file, context);
  headers.set('ETag', `"${project.id}-${project.revision}-${tag}"`);
  // Reading a script and running it get different responses.
  if (hasForms(path)) headers.set('Vary', 'Sec-Fetch-Dest');
  if (request.headers.get('If-None-Match') === headers.get('ETag'))
    return new Response(null, { status: 304, headers });
  return new Response(await makeBody(file, form, context), { headers });
}

/** ETag part that differs between outputs and between builds of our scripts. */
function tagOf(
  form: FileForm,
  { destination }: FormRequest,
  { frameAddress, workerAddress }: FileContext,
): string {
  if (form === 'text') return 'file';
  const isWorkerScript = form === 'script' && isWorkerDestination(destination);
  const script = isWorkerScript ? workerAddress : form === 'page' ? frameAddress : '';
  const build = script === '' ? '' : `-${script.slice(-16)}`;
  return `${form.replace('?', '')}-${compilerGeneration}${build}`;
}

async function makeBody(
  { project, path, text, destination }: FileRequest,
  form: FileForm,
  { compiled, frameAddress, workerAddress, client }: FileContext,
): Promise<string> {
  if (form === 'text') return text;
  const { map, ...output } = await compiled.find(project, { path, text }, client);
  const body = formText(path, { text, ...output }, form);
  if (form === 'page') {
    const data = { revision: project.revision, path };
    return instrumentHtml(body, { src: frameAddress, data });
  }
  if (form === 'script' && isWorkerDestination(destination))
    return instrumentWorker(body, workerAddress);
  const isCode = form === 'script' || form === 'style';
  return map && isCode ? `${body}\n${mapComment(path, form)}` : body;
}

/** Source map comment; the map's URL is relative to the file. */
function mapComment(path: string, form: 'script' | 'style'): string {
  const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  const address = `# sourceMappingURL=${name}.map`;
  return form === 'style' ? `/*${address} */` : `//${address}`;
}

/** Responds with a source map: that of `src/App.tsx` is at `src/App.tsx.map`, unless the project has such a file. */
export async function answerMap(
  project: ServedProject,
  pathname: string,
  context: FileContext,
): Promise<Response | undefined> {
  const path = findFilePath(pathname.replace(/\.map$/, ''), (found) => project.files.has(found));
  const text = path === undefined ? undefined : project.files.get(path);
  if (!pathname.endsWith('.map') || path === undefined || text === undefined) return undefined;
  const { map } = await context.compiled.find(project, { path, text }, context.client);
  const audience: Audience = project.isPrivate ? 'same-origin' : 'anyone';
  const headers = fileHeaders('application/json', context.appOrigins, audience);
  return map ? new Response(mapText(map), { headers }) : undefined;
}
