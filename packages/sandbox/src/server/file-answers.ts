/** How the server answers for a file of a project: as it was written, or in a form made of it. */
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
  /** On whose behalf files are compiled. */
  client: CompileClient;
  appOrigins: readonly string[];
  /** Address of the script that documents run first; it ends with that script's hash. */
  frameAddress: string;
  /** Likewise, of the one that workers run first. */
  workerAddress: string;
  compiled: CompiledFiles;
}

/** A file of a project, and what is wanted of it. */
interface Wanted extends FormRequest {
  project: ServedProject;
  path: string;
  text: string;
}

/** Throws `CompileError` where the form of a file cannot be had now. */
export async function answerFile(
  request: Request,
  wanted: Wanted,
  context: FileContext,
): Promise<Response> {
  const { project, path } = wanted;
  const audience: Audience = project.isPrivate ? 'same-origin' : 'anyone';
  const form = findForm(path, wanted);
  const headers = new Headers(fileHeaders(formType(path, form), context.appOrigins, audience));
  const tag = tagOf(form, wanted, context);
  headers.set('ETag', `"${project.id}-${project.revision}-${tag}"`);
  // Whoever reads a script gets another answer than who runs it.
  if (hasForms(path)) headers.set('Vary', 'Sec-Fetch-Dest');
  if (request.headers.get('If-None-Match') === headers.get('ETag'))
    return new Response(null, { status: 304, headers });
  return new Response(await makeBody(wanted, form, context), { headers });
}

/** Tells the answers of a form from those of other forms and other builds. */
function tagOf(
  form: FileForm,
  { destination }: FormRequest,
  { frameAddress, workerAddress }: FileContext,
): string {
  if (form === 'text') return 'file';
  const isOfWorker = form === 'script' && isWorkerDestination(destination);
  const script = isOfWorker ? workerAddress : form === 'page' ? frameAddress : '';
  const build = script === '' ? '' : `-${script.slice(-16)}`;
  return `${form.replace('?', '')}-${compilerGeneration}${build}`;
}

async function makeBody(
  { project, path, text, destination }: Wanted,
  form: FileForm,
  { compiled, frameAddress, workerAddress, client }: FileContext,
): Promise<string> {
  if (form === 'text') return text;
  const { map, ...made } = await compiled.find(project, { path, text }, client);
  const body = formText(path, { text, ...made }, form);
  if (form === 'page') {
    const data = { revision: project.revision, path };
    return instrumentHtml(body, { src: frameAddress, data });
  }
  if (form === 'script' && isWorkerDestination(destination))
    return instrumentWorker(body, workerAddress);
  const isCode = form === 'script' || form === 'style';
  return map && isCode ? `${body}\n${mapComment(path, form)}` : body;
}

/** The map is beside what it is of. */
function mapComment(path: string, form: 'script' | 'style'): string {
  const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  const address = `# sourceMappingURL=${name}.map`;
  return form === 'style' ? `/*${address} */` : `//${address}`;
}

/** The map of `src/App.tsx` is at `src/App.tsx.map`, where the project has no such file itself. */
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
