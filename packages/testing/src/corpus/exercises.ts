/*
 * Parser of the corpus files: '## NAME OTHER…', followed by a module whose default export must be
 * true. In `mixes`, NAME is the name of the mix instead of a package.
 */
import { readFileSync } from 'node:fs';

export interface Exercise {
  readonly name: string;
  readonly packages: readonly string[];
  readonly script: string;
}

const lists = ['popular', 'fresh', 'fresh-2', 'fresh-3', 'fresh-4', 'fresh-5', 'mixes'] as const;
export type ExerciseList = (typeof lists)[number];

export function isExerciseList(name: string): name is ExerciseList {
  return lists.some((list) => list === name);
}

export function readExercises(file: ExerciseList): Exercise[] {
  const text = readFileSync(new URL(`${file}.txt`, import.meta.url), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const [first = '', ...others] = heading.trim().split(' ');
      const packages = file === 'mixes' ? others : [first, ...others];
      const name = first.replace(/(.)@.*$/, '$1');
      return { name, packages, script: lines.join('\n').trim() };
    });
}
