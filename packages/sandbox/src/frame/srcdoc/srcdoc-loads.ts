/**
 * Loads of the srcdoc transport. Files are blobs, for which browsers record no resource timings, so loads are
 * derived from elements' events, from the imports of loaded modules, and from `import()`ed modules, each of
 * which reports itself.
 */
import type { InlinedFile, SrcdocProject } from '../../protocol.ts';
import type { FileLoads } from '../file-loads.ts';
import { resolveProjectPath, readBaseHref } from './srcdoc-urls.ts';

export function watchSrcdocLoads(
  project: SrcdocProject,
  aliases: ReadonlyMap<string, string>,
  loads: FileLoads,
): void {
  const contents = new Map(project.files.map(([path, content]) => [path, content]));
  const imported = new Set<string>();
  const addFile = (id: string, by: string, hasFailed = false) => {
    const content = contents.get(id) ?? '';
    const size = typeof content === 'string' ? sizeOf(content) : content.size;
    loads.add({ path: id.replace(/\?\w+$/, ''), by, status: 200, hasFailed, size });
  };
  const addModule = (id: string) => {
    if (imported.has(id) || !contents.has(id)) return;
    imported.add(id);
    addFile(id, 'script');
    addImportsOf(id);
  };
  const addImports = (text: string) => findImports(text).forEach(addModule);
  const addImportsOf = (id: string) => {
    const content = contents.get(id);
    if (typeof content === 'string') addImports(content);
  };
  Object.defineProperty(window, '__vitrineImported', { value: addModule });
  const onEvent = ({ target, type }: Event) => {
    const written = target instanceof Element ? attributeUrl(target) : null;
    if (!(target instanceof Element) || written === null) return;
    const by = target.localName;
    const id = aliases.get(written.split('#')[0] ?? '');
    if (id === undefined) {
      const path =
        type === 'error' ? resolveProjectPath(written, project.path, readBaseHref()) : undefined;
      if (path !== undefined) loads.add({ path, by, status: 404, size: null });
      return;
    }
    addFile(id, by, type === 'error');
    if (isModule(target)) addImportsOf(id);
  };

  loads.add({ path: project.path, by: 'navigation', status: 200, size: sizeOf(project.html) });
  for (const type of ['load', 'error', 'loadedmetadata'])
    document.addEventListener(type, onEvent, true);
  // Inline modules have no load event; their imports are added once the document is parsed.
  document.addEventListener('DOMContentLoaded', () => {
    for (const script of document.scripts)
      if (isModule(script) && !script.hasAttribute('src')) addImports(script.text);
  });
}

/**
 * Appends to each module that some `import(…)` names a call that reports it once it runs:
 * `a();` → `a();⏎;globalThis.__vitrineImported?.("lib/a.js");`
 */
export function instrumentImports({ files, html }: SrcdocProject): InlinedFile[] {
  const texts = files
    .map(([, content]) => content)
    .filter((content) => typeof content === 'string');
  const dynamic = new Set([html, ...texts].flatMap(findCalls));
  return files.map(([id, content, type]) => {
    const isModule = typeof content === 'string' && type.startsWith('text/javascript');
    const call = `\n;globalThis.__vitrineImported?.(${JSON.stringify(id)});`;
    return [id, isModule && dynamic.has(id) ? content + call : content, type];
  });
}

function attributeUrl(element: Element): string | null {
  return (
    element.getAttribute('src') ?? element.getAttribute('href') ?? element.getAttribute('data')
  );
}

function isModule(element: Element): boolean {
  return element instanceof HTMLScriptElement && element.type.trim().toLowerCase() === 'module';
}

/** Paths of static imports: `import { a } from "vitrine-module:lib/a%20b.js"` → lib/a b.js */
function findImports(text: string): string[] {
  return pathsIn(text, /\b(?:from|import)\s*["']vitrine-module:([^"']+)["']/g);
}

/** Paths of dynamic imports: `import("vitrine-module:lib/a%20b.js")` → lib/a b.js */
function findCalls(text: string): string[] {
  return pathsIn(text, /\bimport\s*\(\s*["'`]vitrine-module:([^"'`]+)["'`]/g);
}

function pathsIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, path = '']) => decodeURIComponent(path));
}

function sizeOf(text: string): number {
  return new Blob([text]).size;
}
