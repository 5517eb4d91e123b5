/** Which files the pages of a project load, as far as their texts say it. */
import { isMarkdownPath, isPagePath, isScriptPath } from '@vitrine/compiler';
import { filePathOf } from './plan-update.ts';
import type { ModuleStore } from './module-store.ts';

/**
 * Returns the project's pages, what they import, and the scripts that any of these files names: in
 * `new Worker('js/search.js')`, an import map or `<script src>`. May contain files that no page loads.
 */
export function findLoadedFiles(store: ModuleStore): ReadonlySet<string> {
  const paths = [...store.latestPaths];
  const scripts = new Map<string, string[]>();
  for (const path of paths.filter(isScriptPath)) {
    const name = getStem(path);
    scripts.set(name, [...(scripts.get(name) ?? []), path]);
  }
  const loaded = new Set(paths.filter(isPagePath));
  // A set is iterated up to what is added meanwhile.
  for (const path of loaded) {
    for (const id of store.moduleInfo(path)?.imports ?? []) loaded.add(filePathOf(id));
    // Prose names files that it doesn't load.
    if (isMarkdownPath(path)) continue;
    for (const [, , address = ''] of store.latestText(path).matchAll(quoted))
      for (const named of scripts.get(getStem(address)) ?? []) loaded.add(named);
  }
  return loaded;
}

/** Quoted text with a slash or a dot, as URLs of files have one. */
const quoted = /(["'`])([^"'`\n]{0,300}[/.][^"'`\n]{0,300})\1/g;

/** "../js/search.js?worker" → "search" */
function getStem(address: string): string {
  return /([^/]*?)(?:\.[^./]*)?$/.exec(address.replace(/[?#].*$/, ''))?.[1] ?? '';
}
