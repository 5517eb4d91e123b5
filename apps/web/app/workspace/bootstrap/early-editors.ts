import type { EarlyEditor } from '@vitrine/editor';

/**
 * Early editors by the element they are in, until the app takes them over. Written by the page's
 * first script and read by the app's, which share this module.
 */
export const earlyEditors = new WeakMap<Element, EarlyEditor>();
