import { isPackageName } from '@vitrine/esm/lockfile';
import type { PackageRequest } from '@vitrine/esm/messages';

const command = /^\s*(?:npm|pnpm|yarn|bun)\s+(?:install|i|add)(?:\s+|$)/;

/**
 * Parses packages in text that a user typed or pasted; undefined if any word isn't a package.
 * "three" → three; "three@0.180 d3" → both; "npm i -D @scope/x@next" → @scope/x at next
 */
export function parsePackageRequests(text: string): PackageRequest[] | undefined {
  const words = text
    .replace(command, '')
    .split(/[\s,]+/)
    .filter((word) => word !== '' && !word.startsWith('-'));
  const packages = words.map(parseWord);
  return packages.length > 0 && packages.every((each) => each !== undefined) ? packages : undefined;
}

function parseWord(word: string): PackageRequest | undefined {
  const at = word.indexOf('@', 1);
  const name = at < 0 ? word : word.slice(0, at);
  const range = at < 0 ? '' : word.slice(at + 1);
  if (!isPackageName(name)) return undefined;
  return range === '' ? { name } : { name, range };
}

/** "three" or "three and d3" or "three, d3 and gsap". */
export function formatPackageNames(packages: readonly PackageRequest[]): string {
  return new Intl.ListFormat('en').format(packages.map(({ name }) => name));
}
