/** The corpus files: '## NAME OTHER…' and below it a module whose default export must be true. */
import { readFileSync } from 'node:fs';

export interface Exercise {
  readonly name: string;
  readonly packages: readonly string[];
  readonly script: string;
}

export function readExercises(file: 'popular' | 'fresh'): Exercise[] {
  const text = readFileSync(new URL(`${file}.txt`, import.meta.url), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const packages = heading.trim().split(' ');
      const name = (packages[0] ?? '').replace(/(.)@.*$/, '$1');
      return { name, packages, script: lines.join('\n').trim() };
    });
}
