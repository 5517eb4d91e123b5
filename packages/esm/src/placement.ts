/** Where a package stands, and what its imports mean there. */
import {
  isPackageName,
  isSeenInFamilies,
  packageNameOf,
  placeCompanion,
  placeTarget,
  VitrineError,
  type Family,
  type LinkTable,
} from '@vitrine/project';
import { parsePackageAddress, type ExactAddress, type ExactPackage } from './address.ts';
import { builtinsAddress } from './builtins.ts';

export interface Placement {
  /** `/npm/NAME@VERSION~LINK`; of a companion `HEAD/-in/NAME@VERSION~LINK`. */
  readonly base: string;
  readonly table: LinkTable;
  /** Absent where a target means the same with and without companions. */
  readonly family?: PlacedFamily;
}

export interface PlacedFamily extends Family {
  readonly head: { readonly base: string; readonly link: string; readonly table: LinkTable };
}

export interface Tables {
  readonly findTable: (link: string) => Promise<LinkTable | undefined>;
  readonly builtins: LinkTable;
}

/** Throws `package_address_unknown`. */
export async function findPlacement(address: ExactAddress, tables: Tables): Promise<Placement> {
  const table = await requireTable(tables, address);
  const { head, base } = address;
  if (head === undefined) return placeHead({ base, link: address.link, table });
  const { family } = placeHead({ ...head, table: await requireTable(tables, head) });
  if (family?.companions.includes(targetOf(address)) !== true) throw unknown(address);
  return { base, table, family };
}

/** The placement of the module or package at an address; undefined where no lock knows of it. */
export async function findPlacementAt(
  address: string,
  tables: Tables,
): Promise<Placement | undefined> {
  const parsed = parsePackageAddress(new URL(address, 'http://packages').pathname);
  if (parsed?.kind !== 'exact') return undefined;
  for (const link of [parsed.link, ...(parsed.head ? [parsed.head.link] : [])]) {
    if ((await tables.findTable(link)) === undefined) return undefined;
  }
  return findPlacement(parsed, tables);
}

function placeHead(head: PlacedFamily['head']): Placement {
  const { base, table } = head;
  return { base, table, ...(table.family && { family: { ...table.family, head } }) };
}

/** The table at an exact address. Throws `package_address_unknown`. */
export async function requireTable(
  { findTable }: Pick<Tables, 'findTable'>,
  asked: ExactPackage,
): Promise<LinkTable> {
  const table = await findTable(asked.link);
  if (table === undefined || table.name !== asked.name || table.version !== asked.version) {
    throw unknown(asked);
  }
  return table;
}

function unknown({ name, version }: ExactPackage): VitrineError {
  return new VitrineError('package_address_unknown', `${name}@${version}`);
}

export function targetOf({ name, version, link }: ExactPackage): string {
  return `${name}@${version}~${link}`;
}

/** The address of a package that is imported by this name; undefined when there is none. */
export function baseOf({ table, family }: Placement, name: string): string | undefined {
  const plain = Object.hasOwn(table.dependencies, name) ? table.dependencies[name] : undefined;
  return typeof plain === 'string' ? addressIn(family, plain) : undefined;
}

/** Where a target is served to those in a family. */
export function addressIn(family: PlacedFamily | undefined, plain: string): string {
  const { target, isCompanion } = placeTarget(family, plain);
  return family && isCompanion ? placeCompanion(family.head.base, target) : `/npm/${target}`;
}

/**
 * Where a package is served that is imported and not named in package.json: its newest version. An
 * installer that hoists would have had some version there by chance, so any is as good. Undefined for
 * what must be there once.
 */
export function undeclaredBase({ table }: Placement, name: string): string | undefined {
  const isDeclared = Object.hasOwn(table.dependencies, name);
  if (isDeclared || isSeenInFamilies(name) || !isPackageName(name)) return undefined;
  return `/npm/-/undeclared/${name}`;
}

export interface ForeignModule {
  readonly placement: Placement;
  /** Among the entries of its package's manifest. */
  readonly path: string;
}

/** What a specifier in a built module means; undefined for a package that is absent. */
export async function findForeign(
  specifier: string,
  from: Placement,
  tables: Tables,
): Promise<ForeignModule | undefined> {
  if (specifier.startsWith('node:')) {
    const path = `./nodelibs/${specifier.slice('node:'.length)}`;
    return { placement: { base: builtinsAddress, table: tables.builtins }, path };
  }
  const name = packageNameOf(specifier) ?? specifier;
  const base = baseOf(from, name);
  const placement = base === undefined ? undefined : await findPlacementAt(base, tables);
  if (placement === undefined) return undefined;
  const subpath = specifier.slice(name.length);
  return { placement, path: subpath === '' ? '.' : `.${subpath}` };
}

/** `.` → ``, `./client` → `/client`, each part encoded again. */
export function moduleAddress({ base }: Placement, path: string): string {
  const hidden = base === builtinsAddress ? 2 : 1;
  const parts = path.split('/').slice(hidden);
  return base + parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}
