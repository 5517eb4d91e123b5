import { stampedAddress, type HotUpdate } from '../hot-messages.ts';
import type { Exports } from './hot-context.ts';

/** Imports the new version of a module: at its stamped address, or on the portable path its blob. */
export function importNew(
  { accepted, stamp }: HotUpdate,
  aliases: ReadonlyMap<string, string>,
): Promise<Exports> {
  const blob = [...aliases].findLast(([, id]) => id === accepted)?.[0];
  return import(blob ?? stampedAddress(accepted, stamp)) as Promise<Exports>;
}
