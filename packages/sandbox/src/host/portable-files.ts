/** Prepares what the srcdoc transport sends to its frame: the page, new modules and stylesheets. */
import {
  absentAddress,
  fileAddress,
  flattenCss,
  hasScripts,
  inlineMarkup,
  inlineModules,
  inlineProject,
  isStylePath,
} from '@vitrine/compiler';
import { absentHtml } from '../absent-page.ts';
import type { InlinedFile, PortableProject } from '../protocol.ts';
import { findImporters } from './differences.ts';
import { orderModules } from './order-modules.ts';
import { pathOfId, type UpdatePlan } from './plan-update.ts';
import type { Visit } from './portable-visits.ts';
import type { Sources } from './sources.ts';

export function inlinePage(
  sources: Sources,
  { path, hash }: Visit,
): Omit<PortableProject, 'scroll'> {
  if (sources.read(path) === undefined)
    return { path, html: absentHtml(`/${path}`), mapEnd: 0, files: [], hash };
  const { html, mapEnd, files } = inlineProject(sources.forms(), path);
  return { path, html, mapEnd, files: toMessage(files), hash };
}

/** HTML of a page without scripts; undefined if it has scripts or is missing. */
export function findMarkup(sources: Sources, path: string): string | undefined {
  const text = sources.readRunning(path);
  if (text === undefined || hasScripts(text)) return undefined;
  return inlineMarkup(path, text, (file) => sources.readRunning(file));
}

/**
 * The new modules of an update and the modules they import that the page doesn't have, sorted so that
 * imported modules come first. Undefined for circular imports, and for stylesheets without a blob URL.
 */
export function findNewModules(
  sources: Sources,
  { stamped }: UpdatePlan,
  known: ReadonlySet<string>,
): string[] | undefined {
  const importsOf = (id: string) => (id.includes('?') ? [] : (sources.facts(id)?.imports ?? []));
  const exists = (id: string) => sources.read(pathOfId(id)) !== undefined;
  const modules = new Set(stamped.filter(exists));
  // A module that never compiled makes its importer fail, as on an isolated origin.
  for (const id of modules)
    for (const imported of importsOf(id).filter(exists))
      if (!known.has(imported) && !sources.stamps.has(imported)) modules.add(imported);
  // A stylesheet that the page didn't start with has no blob URL for its link.
  if ([...modules].some((id) => isStylePath(pathOfId(id)))) return undefined;
  return orderModules(modules, importsOf);
}

/** Modules that have a version query by now, as messages. */
export function inlineNew(sources: Sources, ids: Iterable<string>): InlinedFile[] {
  return toMessage(inlineModules(ids, sources.forms(), new Set(sources.stamps.keys())));
}

/** Texts of these stylesheets and of those that import them. */
export function inlineStyles(
  sources: Sources,
  changed: readonly string[],
): [path: string, text: string][] {
  const read = (path: string) => sources.readRunning(path);
  const addressOf = (path: string) =>
    read(path) === undefined ? absentAddress(path) : fileAddress(path);
  const paths = [...new Set([...changed, ...findImporters(changed, sources)])];
  return paths.map((path) => [path, flattenCss(path, read, addressOf)]);
}

function toMessage(
  files: readonly { path: string; text: string; mediaType: string }[],
): InlinedFile[] {
  return files.map(({ path, text, mediaType }) => [path, text, mediaType]);
}
