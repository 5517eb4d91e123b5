import { limits } from '@vitrine/project';
import { isSingleFile, parseSingleFile } from '@vitrine/sandbox/single-file-format';
import type { FoundEntry } from '../import/imported-project.ts';

interface HtmlFile {
  /** Title for a new project: 1–120 characters. */
  readonly title: string;
  readonly entries: readonly FoundEntry[];
}

/** Reads a project that was downloaded as one HTML file; undefined for any other page. */
export async function readHtmlFile(file: File): Promise<HtmlFile | undefined> {
  if (!(await isSingleFile(file))) return undefined;
  const parsed = parseSingleFile(await file.text());
  if (!parsed) return undefined;
  const title = [...parsed.title.trim()].slice(0, limits.titleMax).join('');
  return {
    title: title === '' ? 'Imported project' : title,
    entries: parsed.files.map(([path, content]) => {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      return { path, size: bytes.length, read: () => Promise.resolve(bytes) };
    }),
  };
}
