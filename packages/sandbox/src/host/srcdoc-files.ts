/** Prepares what the srcdoc transport sends to its frame: the page, new modules and stylesheets. */
import {
  createMissingFileUrl,
  createFileUrl,
  flattenCss,
  hasScripts,
  inlinePageWithoutScripts,
  inlineUpdatedModules,
  inlineProject,
  isStylePath,
  type OutputFile,
} from '@vitrine/compiler';
import { findServedFile } from '@vitrine/project';
import { notFoundHtml } from '../not-found-page.ts';
import type { InlinedFile, SrcdocProject } from '../protocol.ts';
import { findImportingStyles } from './file-differences.ts';
import { orderModules } from './order-modules.ts';
import { filePathOf, type UpdatePlan } from './plan-update.ts';
import type { HistoryEntry } from './session-history.ts';
import type { ModuleStore } from './module-store.ts';

export function inlinePage(
  moduleStore: ModuleStore,
  { path, hash }: HistoryEntry,
): Omit<SrcdocProject, 'scroll'> {
  if (moduleStore.read(path) === undefined)
    return {
      path,
      html: notFoundHtml(`/${path}`, [...moduleStore.paths]),
      mapEnd: 0,
      files: [],
      hash,
    };
  const { html, mapEnd, files } = inlineProject(listOutputs(moduleStore), path);
  return { path, html, mapEnd, files: toMessage(files, moduleStore), hash };
}

/** HTML of a page without scripts; undefined if it has scripts or is missing. */
export function inlineStaticPage(moduleStore: ModuleStore, path: string): string | undefined {
  const text = moduleStore.readOutput(path);
  if (text === undefined || hasScripts(text)) return undefined;
  return inlinePageWithoutScripts(path, text, (file) => moduleStore.readOutput(file));
}

/**
 * The new modules of an update and the modules they import that the page doesn't have, sorted so that
 * imported modules come first. Undefined for circular imports, and for stylesheets without a blob URL.
 */
export function findNewModules(
  moduleStore: ModuleStore,
  { reloaded }: UpdatePlan,
  known: ReadonlySet<string>,
): string[] | undefined {
  const importsOf = (id: string) =>
    id.includes('?') ? [] : (moduleStore.moduleInfo(id)?.imports ?? []);
  const exists = (id: string) => moduleStore.read(filePathOf(id)) !== undefined;
  const modules = new Set(reloaded.filter(exists));
  // A module that never compiled makes its importer fail, as on an isolated origin.
  for (const id of modules)
    for (const imported of importsOf(id).filter(exists))
      if (!known.has(imported) && !moduleStore.versionQueries.has(imported)) modules.add(imported);
  // A stylesheet that the page didn't start with has no blob URL for its link.
  if ([...modules].some((id) => isStylePath(filePathOf(id)))) return undefined;
  return orderModules(modules, importsOf);
}

/** Modules that have a version query by now, as messages. */
export function inlineNewModules(moduleStore: ModuleStore, ids: Iterable<string>): InlinedFile[] {
  const versioned = new Set(moduleStore.versionQueries.keys());
  return toMessage(inlineUpdatedModules(ids, listOutputs(moduleStore), versioned), moduleStore);
}

/** Texts of these stylesheets and of those that import them. */
export function inlineStyles(
  moduleStore: ModuleStore,
  changed: readonly string[],
): [path: string, text: string][] {
  const read = (path: string) => moduleStore.readOutput(path);
  const urlOf = (path: string) => {
    const found = findServedFile(path, (each) => read(each) !== undefined);
    return found === undefined ? createMissingFileUrl(path) : createFileUrl(found);
  };
  const paths = [...new Set([...changed, ...findImportingStyles(changed, moduleStore)])];
  return paths.map((path) => [path, flattenCss(path, read, urlOf)]);
}

/** All files with their output, as the compiler takes them. */
export function listOutputs(moduleStore: ModuleStore): OutputFile[] {
  return moduleStore.outputs().map((file) => ({ ...file, isAsset: file.bytes !== null }));
}

/** Inlined files as messages. */
export function toMessage(
  files: readonly Omit<OutputFile, 'code' | 'module'>[],
  moduleStore: ModuleStore,
): InlinedFile[] {
  return files.map(({ path, text, mediaType, isAsset }) => {
    const bytes = isAsset ? moduleStore.readBytes(path) : undefined;
    return [path, bytes ?? text, mediaType];
  });
}
