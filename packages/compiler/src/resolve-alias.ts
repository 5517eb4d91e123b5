/** Resolves import specifiers that are aliases (import-aliases.ts). */
import { findModule, isPathSpecifier } from './find-module.ts';

/** Replaces the specifiers that match `find` by the first target that exists. */
export interface ImportAlias {
  /** A specifier; one `*` stands for any text. */
  find: string;
  /** Paths from the project's root (`/src/*`), or packages, with the text that `*` stands for. */
  targets: readonly string[];
}

/** What an aliased specifier stands for. */
export type AliasTarget =
  /** A path from the root (`/src/a`), with the query of the specifier, or a package. */
  | { specifier: string }
  /** An alias of the project matches, but none of its targets exists. */
  | 'missing'
  /** No alias matches. */
  | undefined;

/** Resolves an alias: "@/App?raw" → "/src/App?raw", if there is such a file. */
export function resolveAlias(
  specifier: string,
  aliases: readonly ImportAlias[],
  exists: (path: string) => boolean,
): AliasTarget {
  if (isPathSpecifier(specifier)) return undefined;
  const [name = '', ...query] = specifier.split('?');
  let isMissing = false;
  for (const { find, targets } of aliases) {
    const matched = matchPattern(find, name);
    if (matched === undefined) continue;
    for (const pattern of targets) {
      const target = pattern.replace('*', () => matched);
      if (target.startsWith('/') ? findModule('', target, exists) === undefined : target === name)
        continue;
      return { specifier: [target, ...query].join('?') };
    }
    isMissing ||= find !== '*';
  }
  return isMissing ? 'missing' : undefined;
}

/**
 * Resolves an alias in a glob pattern: "@/posts/*.md" → "/src/posts/*.md", if the project has that
 * folder. Undefined if no alias matches.
 */
export function resolveAliasPattern(
  pattern: string,
  aliases: readonly ImportAlias[],
  paths: readonly string[],
): string | undefined {
  const findCandidates = ({ find, targets }: ImportAlias) => {
    const matched = matchPattern(find, pattern);
    return matched === undefined
      ? []
      : targets
          .filter((each) => each.startsWith('/'))
          .map((each) => each.replace('*', () => matched));
  };
  const hasFiles = (candidate: string) => {
    const fixed = candidate.slice(1).replace(/[^/]*[*?[{(].*$/, '');
    return paths.some((path) => path.startsWith(fixed));
  };
  // An alias of every specifier (`baseUrl`) means only what is there.
  const named = aliases.filter(({ find }) => find !== '*').flatMap(findCandidates);
  return aliases.flatMap(findCandidates).find(hasFiles) ?? named[0];
}

/** Returns the text that `*` stands for, '' without one; undefined if the name doesn't match. */
export function matchPattern(pattern: string, name: string): string | undefined {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return pattern === name ? '' : undefined;
  const isMatch =
    name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
  return isMatch ? name.slice(start.length, name.length - end.length) : undefined;
}
