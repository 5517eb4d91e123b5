/** How the server answers for a file of a project: as it was written, or in the form in which it runs. */
import {
  assetModule,
  compilerGeneration,
  hasAssetModule,
  instrumentHtml,
  isScriptPath,
  mapText,
  moduleQuery,
} from '@vitrine/compiler';
import { mediaType } from '@vitrine/project';
import { findFilePath } from '../file-addresses.ts';
import { fileHeaders, type Audience } from '../headers.ts';
import { withoutStamp } from '../hot-messages.ts';
import { scriptType, wantsScript, type ScriptRequest } from '../script-answers.ts';
import type { CompiledFiles, ServedProject } from './compiled-files.ts';

export interface FileContext {
  appOrigins: readonly string[];
  /** Address of the script that documents run first; it ends with that script's hash. */
  frameAddress: string;
  compiled: CompiledFiles;
}

/** A file of a project, and what is wanted of it. */
interface Wanted extends ScriptRequest {
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
  const kind = findAnswerKind(wanted);
  const headers = new Headers(fileHeaders(kind.type, context.appOrigins, audience));
  headers.set('ETag', `"${project.id}-${project.revision}-${kind.tag(context)}"`);
  // Whoever reads a script gets another answer than who runs it.
  if (isScriptPath(path)) headers.set('Vary', 'Sec-Fetch-Dest');
  if (request.headers.get('If-None-Match') === headers.get('ETag'))
    return new Response(null, { status: 304, headers });
  return new Response(await kind.body(wanted, context), { headers });
}

/** A way to answer for a file; `tag` tells its answers from those of other ways and other builds. */
interface AnswerKind {
  type: string;
  tag(context: FileContext): string;
  body(wanted: Wanted, context: FileContext): Promise<string> | string;
}

function findAnswerKind(wanted: Wanted): AnswerKind {
  const type = mediaType(wanted.path);
  if (type.startsWith('text/html')) return pageAnswer;
  if (withoutStamp(wanted.query) === moduleQuery && hasAssetModule(wanted.path))
    return moduleAnswer;
  if (wantsScript(wanted.path, wanted)) return scriptAnswer;
  return { type, tag: () => 'file', body: ({ text }) => text };
}

const pageAnswer: AnswerKind = {
  type: 'text/html; charset=utf-8',
  tag: ({ frameAddress }) => `page-${compilerGeneration}-${frameAddress.slice(-16)}`,
  async body({ project, path, text }, { compiled, frameAddress }) {
    const { code } = await compiled.find(project, path, text);
    const data = { revision: project.revision, path };
    return instrumentHtml(code ?? text, { src: frameAddress, data });
  },
};

const scriptAnswer: AnswerKind = {
  type: scriptType,
  tag: () => `script-${compilerGeneration}`,
  async body({ project, path, text }, { compiled }) {
    const { code, map } = await compiled.find(project, path, text);
    const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
    return map ? `${code ?? text}\n//# sourceMappingURL=${name}.map` : (code ?? text);
  },
};

const moduleAnswer: AnswerKind = {
  type: scriptType,
  tag: () => `module-${compilerGeneration}`,
  body: ({ path, text }) => assetModule(path, text) ?? text,
};

/** The map of `src/App.tsx` is at `src/App.tsx.map`, where the project has no such file itself. */
export async function answerMap(
  project: ServedProject,
  pathname: string,
  context: FileContext,
): Promise<Response | undefined> {
  const path = findFilePath(pathname.replace(/\.map$/, ''), (found) => project.files.has(found));
  const text = path === undefined ? undefined : project.files.get(path);
  if (!pathname.endsWith('.map') || path === undefined || text === undefined) return undefined;
  const { map } = await context.compiled.find(project, path, text);
  const audience: Audience = project.isPrivate ? 'same-origin' : 'anyone';
  const headers = fileHeaders('application/json', context.appOrigins, audience);
  return map ? new Response(mapText(map), { headers }) : undefined;
}
