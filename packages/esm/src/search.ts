import { isPackageName } from '@vitrine/project';
import { VitrineError } from '@vitrine/project';
import type { Registry } from './registry.ts';
import type { Resolver } from './resolve.ts';
import { isRecord } from './specs.ts';

export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license?: string;
}

export interface SearchResult {
  readonly packages: readonly FoundPackage[];
  /** False where the registry offers no search, so that only the exact name was looked up. */
  readonly searched: boolean;
}

const resultsMax = 20;

/** The registry's own search, or the package of exactly that name. */
export async function searchPackages(
  text: string,
  { registry, resolver }: { registry: Registry; resolver: Resolver },
): Promise<SearchResult> {
  const words = text.trim().slice(0, 100);
  const [answer, exact] = await Promise.all([
    words === '' ? undefined : registry.search(words, resultsMax),
    findExact(words, resolver),
  ]);
  const found = readObjects(answer);
  if (found === undefined) return { packages: exact === undefined ? [] : [exact], searched: false };
  const others = found.filter(({ name }) => name !== exact?.name);
  const packages = exact === undefined ? others : [exact, ...others];
  return { packages: packages.slice(0, resultsMax), searched: true };
}

async function findExact(name: string, resolver: Resolver): Promise<FoundPackage | undefined> {
  if (!isPackageName(name)) return undefined;
  try {
    const { versions, tags, description, license } = await resolver.run('describe', { name });
    const version = tags['latest'] ?? versions[0] ?? '';
    return { name, version, description, ...(license !== '' && { license }) };
  } catch (error) {
    if (error instanceof VitrineError && error.code === 'package_not_found') return undefined;
    throw error;
  }
}

/** https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md#get-v1search */
function readObjects(answer: unknown): FoundPackage[] | undefined {
  if (!isRecord(answer) || !Array.isArray(answer['objects'])) return undefined;
  return answer['objects'].flatMap((item: unknown) => {
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
