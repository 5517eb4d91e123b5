import { isPackageName } from '@vitrine/project';

/** A package to add: its name, and the range, tag or version where one was asked for. */
export interface WantedPackage {
  readonly name: string;
  readonly range?: string;
}

const command = /^\s*(?:npm|pnpm|yarn|bun)\s+(?:install|i|add)(?:\s+|$)/;

/**
 * What a person typed or pasted, as packages; undefined where any word is none.
 * "three" → three; "three@0.180 d3" → both; "npm i -D @scope/x@next" → @scope/x at next
 */
export function parseWanted(text: string): WantedPackage[] | undefined {
  const words = text
    .replace(command, '')
    .split(/[\s,]+/)
    .filter((word) => word !== '' && !word.startsWith('-'));
  const wanted = words.map(parseWord);
  return wanted.length > 0 && wanted.every((each) => each !== undefined) ? wanted : undefined;
}

function parseWord(word: string): WantedPackage | undefined {
  const at = word.indexOf('@', 1);
  const name = at < 0 ? word : word.slice(0, at);
  const range = at < 0 ? '' : word.slice(at + 1);
  if (!isPackageName(name)) return undefined;
  return range === '' ? { name } : { name, range };
}

/** "three" or "three and d3" or "three, d3 and gsap". */
export function nameList(wanted: readonly WantedPackage[]): string {
  return new Intl.ListFormat('en').format(wanted.map(({ name }) => name));
}
