/** What a frame of the portable path is sent of the project: its page, new modules, stylesheets. */
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
  return { path, html, mapEnd, files: asMessage(files), hash };
}

/** What a page without scripts is written from; undefined for one that has some, or is not there. */
export function findMarkup(sources: Sources, path: string): string | undefined {
  const text = sources.readRunning(path);
  if (text === undefined || hasScripts(text)) return undefined;
  return inlineMarkup(path, text, (file) => sources.readRunning(file));
}

/**
 * The new modules of a plan, and what they import that the page did not begin with, those first that
 * others import; undefined where they cannot be had one by one.
 */
export function findNewModules(
  sources: Sources,
  { stamped }: UpdatePlan,
  known: ReadonlySet<string>,
): string[] | undefined {
  const importsOf = (id: string) => (id.includes('?') ? [] : (sources.facts(id)?.imports ?? []));
  const isThere = (id: string) => sources.read(pathOfId(id)) !== undefined;
  const made = new Set(stamped.filter(isThere));
  // One that has never compiled fails whoever imports it, as on the served path.
  for (const id of made)
    for (const imported of importsOf(id).filter(isThere))
      if (!known.has(imported) && !sources.stamps.has(imported)) made.add(imported);
  // A stylesheet that the page does not have has no blob that its link could lead to.
  if ([...made].some((id) => isStylePath(pathOfId(id)))) return undefined;
  return orderModules(made, importsOf);
}

/** Modules that are stamped by now. */
export function inlineNew(sources: Sources, ids: Iterable<string>): InlinedFile[] {
  return asMessage(inlineModules(ids, sources.forms(), new Set(sources.stamps.keys())));
}

/** The texts of stylesheets, and of those that import them. */
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

function asMessage(
  files: readonly { path: string; text: string; mediaType: string }[],
): InlinedFile[] {
  return files.map(({ path, text, mediaType }) => [path, text, mediaType]);
}
