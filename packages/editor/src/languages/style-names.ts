import type { Completion } from '@codemirror/autocomplete';

const classAttribute = /\bclass(?:Name)?\s*=\s*["']([^"'<>{}]*)["']/g;
const classSelector = /\.(-?[_a-zA-Z][\w-]*)(?=[^;{}()"']*\{)/g;
const idAttribute = /\bid\s*=\s*["']([^"'\s<>{}]+)["']/g;
const idSelector = /#(-?[_a-zA-Z][\w-]*)(?=[^;{}()"']*\{)/g;

/** Longer texts are minified or data: they would cost a key press more than their names are worth. */
const longestText = 100_000;

/** The classes that a project's markup and styles speak of. */
export function classNames(texts: Iterable<string>): string[] {
  return collect(texts, [classAttribute, classSelector]);
}

/** The ids that a project's markup and styles speak of. */
export function idNames(texts: Iterable<string>): string[] {
  return collect(texts, [idAttribute, idSelector]);
}

export function toOptions(labels: Iterable<string>, type: string): Completion[] {
  return [...labels].map((label) => ({ label, type }));
}

function collect(texts: Iterable<string>, patterns: readonly RegExp[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    if (text.length > longestText) continue;
    for (const pattern of patterns) {
      for (const [, names = ''] of text.matchAll(pattern)) {
        for (const name of names.split(/\s+/)) if (name) found.add(name);
      }
    }
  }
  return [...found].sort();
}
