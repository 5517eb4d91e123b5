import type { TailwindSheets } from '../compile-context.ts';

/** Maps the stylesheets of Tailwind's package to the names by which they are imported. */
export function createTailwindSheets(texts: {
  index: string;
  theme: string;
  preflight: string;
  utilities: string;
}): TailwindSheets {
  return new Map([
    ['tailwindcss', texts.index],
    ...Object.entries(texts).map(([name, text]): [string, string] => [`tailwindcss/${name}`, text]),
  ]);
}
