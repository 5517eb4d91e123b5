/**
 * What host and frame say to each other when modules take the place of earlier ones in a page that
 * goes on running. Ids name modules: "src/App.tsx", "data.json?module".
 */
import { moduleAddress } from '@vitrine/compiler/module-address';
import type { InlinedFile } from './protocol.ts';

/** host → frame: these modules have new versions, and others accept them. P-30 */
export interface HotMessage {
  type: 'hot';
  version: number;
  updates: HotUpdate[];
  /** Modules that nothing imports any more. */
  pruned: string[];
  /** Changed files that no import leads to: if the page asked for one of them, it is loaded anew. */
  unlessUsed: string[];
  /** Portable path: the new modules, in an order in which each names only earlier ones. */
  files: InlinedFile[];
  /** Texts of stylesheets that changed with them, for those that are linked. */
  styles: [path: string, text: string][];
}

/** One new module, and who accepts it: the module itself, or one that imports it. */
export interface HotUpdate {
  boundary: string;
  accepted: string;
  /** The version that it is new in; its address carries it: `?t=STAMP`. */
  stamp: number;
}

/** frame → host: this module took its new version and found that it is not enough. P-33 */
export interface InvalidMessage {
  type: 'invalid';
  id: string;
}

export function parseInvalid(input: Record<string, unknown>): InvalidMessage | undefined {
  const id = input['id'];
  return typeof id === 'string' && id.length <= 1_000 ? { type: 'invalid', id } : undefined;
}

/** "?module&t=3" → "?module", "?t=3" → "": the query without the stamp. */
export function withoutStamp(query: string): string {
  return query.replace(/[?&]t=\d+$/, '');
}

/** "?module&t=3" → 3, "?module" → undefined: the stamp of a query. A longer number is a time of day. */
export function findStamp(query: string): number | undefined {
  const stamp = /[?&]t=(\d{1,6})$/.exec(query)?.[1];
  return stamp === undefined ? undefined : Number(stamp);
}

/** "data.json?module", 3 → "/data.json?module&t=3" */
export function stampedAddress(id: string, stamp: number): string {
  return `${moduleAddress(id)}${id.includes('?') ? '&' : '?'}t=${stamp}`;
}
