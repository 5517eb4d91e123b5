import type { ProjectFiles } from '@vitrine/project';

/**
 * Concatenates all files with their paths as headings, for copying them to the clipboard. An asset
 * has its type and size instead of its bytes.
 */
export function concatenateFiles(files: ProjectFiles): string {
  return Array.from(files, ([path, file]) => {
    const text = file.kind === 'text' ? file.text : `(${file.mediaType}, ${file.size} bytes)`;
    return `===== ${path} =====\n${text}\n`;
  }).join('\n');
}
