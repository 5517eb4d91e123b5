import { createTailwindSheets } from '../style/tailwind-sheets.ts';
import type { TailwindSheets } from '../compile-context.ts';

/** Fetches Tailwind's own stylesheets, which the build has put next to this script. */
export async function fetchTailwindSheets(): Promise<TailwindSheets> {
  const [index, theme, preflight, utilities] = await Promise.all([
    fetchText(new URL('tailwindcss/index.css', import.meta.url)),
    fetchText(new URL('tailwindcss/theme.css', import.meta.url)),
    fetchText(new URL('tailwindcss/preflight.css', import.meta.url)),
    fetchText(new URL('tailwindcss/utilities.css', import.meta.url)),
  ]);
  return createTailwindSheets({ index, theme, preflight, utilities });
}

async function fetchText(url: URL): Promise<string> {
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`loading a Tailwind stylesheet failed with status ${response.status}`);
  return response.text();
}
