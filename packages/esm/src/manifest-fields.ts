import { isRecord } from './specs.ts';

/*
 * Fields of a package.json in the forms that npm's resolver takes them for. Registries hand on what
 * was published, and a lock comes from a stranger's project: another form would end in an error of
 * nobody's, or end the resolver's thread.
 */
const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
  bin: (value) => readText(value) ?? readTexts(value),
  cpu: readList,
  deprecated: readText,
  description: readText,
  dev: readFlag,
  devOptional: readFlag,
  engines: readTexts,
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

/** The fields without those of another form than npm's. */
export function cleanFields(
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

/** What of an object is text. */
export function readTexts(value: unknown): Record<string, string> {
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

/** An address, an object with one, or a list of these. */
function readFunding(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readFunding).filter((item) => item !== undefined);
  if (isRecord(value)) return typeof value['url'] === 'string' ? readTexts(value) : undefined;
  return readText(value);
}
