import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createTailwindSheets } from '../style/tailwind-sheets.ts';
import type { TailwindSheets } from '../compile-context.ts';

/** Reads Tailwind's own stylesheets from the installed package. */
export async function readTailwindSheets(): Promise<TailwindSheets> {
  const [index, theme, preflight, utilities] = await Promise.all([
    readSheet('index'),
    readSheet('theme'),
    readSheet('preflight'),
    readSheet('utilities'),
  ]);
  return createTailwindSheets({ index, theme, preflight, utilities });
}

function readSheet(name: string): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve(`tailwindcss/${name}.css`)), 'utf8');
}
