import type { TailwindSheets } from '../compile-file.ts';

/** The texts of the files that Tailwind's package has, by what stylesheets import them by. */
export function nameTailwindSheets(texts: {
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
