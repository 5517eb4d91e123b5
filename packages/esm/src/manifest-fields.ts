import { isRecord } from '@vitrine/project/is-record';

/*
 * Normalizes package.json fields to the types that npm's resolver expects. Registries pass on whatever
 * was published, and a lockfile may come from an untrusted project: a value of another type would
 * crash the resolver's process or fail with an unrelated error.
 */
const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
  bin: (value) => readText(value) ?? pickStrings(value),
  cpu: readList,
  deprecated: readText,
  description: readText,
  dev: readFlag,
  devOptional: readFlag,
  engines: pickStrings,
  funding: readFunding,
  hasInstallScript: readFlag,
  integrity: readText,
  libc: readList,
  license: readText,
  name: readText,
  optional: readFlag,
  os: readList,
  peer: readFlag,
  peerDependenciesMeta: readRecords,
  version: readText,
};

/** Returns the fields without those that have another type than npm expects. */
export function normalizeFields(
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    return [name, read === undefined ? value : read(value)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readFlag(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

function readList(value: unknown): string[] | undefined {
  const found = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
  return found.length > 0 ? found : undefined;
}

/** String properties of an object; empty for any other value. */
export function pickStrings(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

function readRecords(value: unknown): Record<string, unknown> | undefined {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => isRecord(item)));
}

/** A URL, an object with a URL, or a list of these. */
function readFunding(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readFunding).filter((item) => item !== undefined);
  if (isRecord(value)) return typeof value['url'] === 'string' ? pickStrings(value) : undefined;
  return readText(value);
}
