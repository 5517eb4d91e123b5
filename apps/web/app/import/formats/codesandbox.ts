import { isRecord, VitrineError } from '@vitrine/project';
import type { ImportedFiles, LeftOut } from '../imported-project.ts';
import { completeProject } from './complete-project.ts';
import { damaged, decompressLz, parseLinkJson } from './decode.ts';
import { formatManifest } from './manifests.ts';

/**
 * Reads CodeSandbox's `parameters`: JSON with `files`, compressed by lz-string in Base64 for URLs.
 * Throws `link_damaged` or `project_too_large`.
 */
export function readCodeSandboxParameters(parameters: string): ImportedFiles {
  const content = parseLinkJson(decompressLz(parameters, { isBase64Url: true }));
  if (!isRecord(content)) throw damaged();
  return readFilesJson(content);
}

/**
 * Reads `{ title?, files, dependencies? }`, where `files` maps paths to texts or, as CodeSandbox
 * has it, to `{ content, isBinary? }` whose content is text, or JSON as data. Throws `link_damaged`.
 */
export function readFilesJson(json: Readonly<Record<string, unknown>>): ImportedFiles {
  const { files, title, dependencies } = json;
  if (!isRecord(files)) throw damaged();
  const contents = new Map<string, string>();
  const leftOut: LeftOut[] = [];
  for (const [name, file] of Object.entries(files)) {
    const path = name.replace(/^\/+/, '');
    const content = isRecord(file) ? (file['content'] ?? file['code']) : file;
    // The content of a binary file is an address, which nothing here requests.
    if (isRecord(file) && file['isBinary'] === true) leftOut.push({ path, reason: 'binary' });
    else if (typeof content === 'string') contents.set(path, content);
    else if (isRecord(content) || Array.isArray(content))
      contents.set(path, `${JSON.stringify(content, null, 2)}\n`);
    else leftOut.push({ path, reason: 'unsupported' });
  }
  if (isRecord(dependencies) && !contents.has('package.json'))
    contents.set('package.json', formatManifest(dependencies));
  if (contents.size === 0) throw new VitrineError('import_empty', 'no files');
  return completeProject({
    ...(typeof title === 'string' && { title }),
    files: contents,
    leftOut,
  });
}
