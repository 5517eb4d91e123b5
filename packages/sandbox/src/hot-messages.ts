/**
 * HMR messages between host and frame. Module ids are project paths with an optional query: "src/App.tsx",
 * "data.json?module".
 */
import { getProjectModuleUrl } from '@vitrine/compiler/module-address';
import type { InlinedFile } from './message-parts.ts';

/** host → frame: modules with new versions and the modules that accept them. P-30 */
export interface HotMessage {
  type: 'hot';
  version: number;
  updates: HotUpdate[];
  /** Modules that are no longer imported. */
  pruned: string[];
  /** Changed files that no import reaches: the page reloads if it has requested one of them. */
  unlessUsed: string[];
  /** srcdoc transport: the new modules, sorted so that each refers only to earlier ones. */
  files: InlinedFile[];
  /** Changed stylesheets with their texts, replaced where they are linked. */
  styles: [path: string, text: string][];
}

/** A new module and its HMR boundary: the module itself or an importer. */
export interface HotUpdate {
  boundary: string;
  accepted: string;
  /** Version of the new module; its URL has it as a query: `?t=STAMP`. */
  stamp: number;
}

/** frame → host: this module called `import.meta.hot.invalidate()`. P-33 */
export interface InvalidMessage {
  type: 'invalid';
  id: string;
}

export function parseInvalidMessage(input: Record<string, unknown>): InvalidMessage | undefined {
  const id = input['id'];
  return typeof id === 'string' && id.length <= 1_000 ? { type: 'invalid', id } : undefined;
}

/** Removes the version query: "?module&t=3" → "?module", "?t=3" → "" */
export function removeVersionQuery(query: string): string {
  return query.replace(/[?&]t=\d+$/, '');
}

/** Version in a query: "?module&t=3" → 3, "?module" → undefined. A longer number is a timestamp of user code. */
export function findVersionQuery(query: string): number | undefined {
  const stamp = /[?&]t=(\d{1,6})$/.exec(query)?.[1];
  return stamp === undefined ? undefined : Number(stamp);
}

/** URL of a module with its version query: "data.json?module", 3 → "/data.json?module&t=3" */
export function addVersionQuery(id: string, stamp: number): string {
  return `${getProjectModuleUrl(id)}${id.includes('?') ? '&' : '?'}t=${stamp}`;
}
