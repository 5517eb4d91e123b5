import { isRecord } from '@vitrine/project/is-record';
import { VitrineError } from '@vitrine/project';
import { isPackageName } from '../lockfile/lockfile.ts';
import type { FoundPackage, SearchResponse } from '../messages.ts';
import type { Registry } from './registry.ts';
import type { Resolver } from '../resolve/resolver.ts';

const resultsMax = 20;

/** Searches with the registry's own search, and looks up the package with exactly that name. */
export async function searchPackages(
  text: string,
  { registry, resolver }: { registry: Registry; resolver: Resolver },
): Promise<SearchResponse> {
  const query = text.trim().slice(0, 100);
  const [response, exact] = await Promise.all([
    query === '' ? undefined : registry.search(query, resultsMax),
    findExact(query, resolver),
  ]);
  const found = parseRegistryResponse(response);
  if (found === undefined) return { packages: exact === undefined ? [] : [exact], searched: false };
  const otherResults = found.filter(({ name }) => name !== exact?.name);
  const packages = exact === undefined ? otherResults : [exact, ...otherResults];
  return { packages: packages.slice(0, resultsMax), searched: true };
}

async function findExact(name: string, resolver: Resolver): Promise<FoundPackage | undefined> {
  if (!isPackageName(name)) return undefined;
  try {
    const { versions, tags, description, license } = await resolver.run('getPackageInfo', { name });
    const version = tags['latest'] ?? versions[0] ?? '';
    return { name, version, description, ...(license !== '' && { license }) };
  } catch (error) {
    if (error instanceof VitrineError && error.code === 'package_not_found') return undefined;
    throw error;
  }
}

/**
 * Parses the registry's response:
 * https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md#get-v1search
 */
function parseRegistryResponse(response: unknown): FoundPackage[] | undefined {
  if (!isRecord(response) || !Array.isArray(response['objects'])) return undefined;
  return response['objects'].flatMap((item: unknown) => {
    const found = isRecord(item) ? item['package'] : undefined;
    if (!isRecord(found)) return [];
    const { name, version, description, license } = found;
    if (typeof name !== 'string' || !isPackageName(name) || typeof version !== 'string') return [];
    return [
      {
        name,
        version,
        description: typeof description === 'string' ? description.slice(0, 300) : '',
        ...(typeof license === 'string' && { license }),
      },
    ];
  });
}
