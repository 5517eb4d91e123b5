import type { SourceLocation } from '@vitrine/sandbox/host';

/** "script.js:12", "script.js" or "". */
export function formatLocation({ path, line }: SourceLocation): string {
  return path !== '' && line > 0 ? `${path}:${line}` : path;
}
