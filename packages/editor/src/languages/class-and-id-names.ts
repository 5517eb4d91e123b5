import type { Completion } from '@codemirror/autocomplete';

const classAttribute = /\bclass(?:Name)?\s*=\s*["']([^"'<>{}]*)["']/g;
const classSelector = /\.(-?[_a-zA-Z][\w-]*)(?=[^;{}()"']*\{)/g;
const idAttribute = /\bid\s*=\s*["']([^"'\s<>{}]+)["']/g;
const idSelector = /#(-?[_a-zA-Z][\w-]*)(?=[^;{}()"']*\{)/g;

/**
 * Longest text that is searched, in UTF-16 units. Longer ones are minified or data, and would slow
 * down typing.
 */
const maxTextLength = 100_000;

/** Class names used in a project's markup and styles. */
export function listClassNames(texts: Iterable<string>): string[] {
  return collect(texts, [classAttribute, classSelector]);
}

/** Ids used in a project's markup and styles. */
export function listElementIds(texts: Iterable<string>): string[] {
  return collect(texts, [idAttribute, idSelector]);
}

/** Completion options with a common type. */
export function toCompletions(labels: Iterable<string>, type: string): Completion[] {
  return [...labels].map((label) => ({ label, type }));
}

function collect(texts: Iterable<string>, patterns: readonly RegExp[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    if (text.length > maxTextLength) continue;
    for (const pattern of patterns) {
      for (const [, names = ''] of text.matchAll(pattern)) {
        for (const name of names.split(/\s+/)) if (name) found.add(name);
      }
    }
  }
  return [...found].sort();
}

/** What a language can look up in the project while completing. */
export interface ProjectNames {
  /** Texts of the project's files, searched for class names and ids. */
  texts(): Iterable<string>;
}
