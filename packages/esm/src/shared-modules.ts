/*
 * Which modules of a family that heads share are to be joined: those that the heads' main modules
 * load. What these load is read as if nobody had companions, where nothing depends on how a family is
 * joined, and each address of a member is then taken for the one that it has in the family.
 */
import { isInside, parsePackageAddress } from './address.ts';
import type { ModuleToJoin } from './build/join-modules.ts';
import { divideShared, type FamilyModules, type HeadLoads } from './divide-modules.ts';
import { readModules } from './loaded-modules.ts';
import { addressIn, targetOf, type PlacedFamily } from './placement.ts';
import type { Builds } from './read-module.ts';

/** `heads` are plain targets. Builds all that their main modules load. */
export async function chooseShared(
  family: PlacedFamily,
  heads: readonly string[],
  builds: Builds,
): Promise<ModuleToJoin[]> {
  const found = await Promise.all(
    heads.map(async (head) => [head, await findLoads(head, family, heads, builds)] as const),
  );
  const { base } = family.head;
  const isOfFamily = (address: string) => isInside(base, address);
  const starts = found.flatMap(([, loads]) => loads.starts);
  const modules = await readModules(starts, { keeps: isOfFamily, reads: isOfFamily }, builds);
  return divideShared(modules, new Map(found));
}

/** Reads what a head's main module loads, until it comes to the family or to another of its heads. */
async function findLoads(
  head: string,
  family: PlacedFamily,
  heads: readonly string[],
  builds: Builds,
): Promise<HeadLoads> {
  const others = new Set(heads.filter((other) => other !== head));
  const reads = (address: string) => {
    const target = targetAt(address);
    return (
      target !== undefined && !others.has(target) && placeMember(address, family) === undefined
    );
  };
  const start = `/npm/${head}`;
  const keeps = (address: string) => targetAt(address) !== undefined;
  const ends = listEnds(await readModules([start], { keeps, reads }, builds), start);
  return {
    starts: ends.flatMap((address) => placeMember(address, family) ?? []),
    heads: [...others].filter((other) => ends.some((address) => targetAt(address) === other)),
  };
}

/** Where the modules lead out of what was read, in the order in which a browser would come to it. */
function listEnds(modules: FamilyModules, start: string): string[] {
  const seen = new Set<string>();
  const visit = (address: string) => {
    if (seen.has(address)) return;
    seen.add(address);
    for (const next of modules.get(address)?.imports ?? []) visit(next);
  };
  visit(start);
  return [...seen].filter((address) => !modules.has(address));
}

/** `/npm/b@2~…/x?names=y` → `/npm/HEAD/-in/b@2~…/x?names=y`; undefined for what is no member. */
function placeMember(address: string, family: PlacedFamily): string | undefined {
  const plain = targetAt(address);
  const base = plain && addressIn(family, plain);
  if (base === undefined || !isInside(family.head.base, base)) return undefined;
  return base + address.slice(`/npm/${plain}`.length);
}

/** `/npm/b@2~…/x?names=y` → `b@2~…` */
function targetAt(address: string): string | undefined {
  const parsed = parsePackageAddress(new URL(address, 'http://packages').pathname);
  return parsed?.kind === 'exact' ? targetOf(parsed) : undefined;
}
