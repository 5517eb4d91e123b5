import { getExtension, type ProjectFiles } from '@vitrine/project';

/** A project's text files as Markdown, and what it doesn't have. */
interface ProjectMarkdown {
  readonly text: string;
  /** Paths of binary files. */
  readonly leftOut: readonly string[];
}

/**
 * Writes a project's text files as Markdown: a heading with the title, and for each file its path and
 * a code block. The lockfile is left out, because package.json says the same to a reader.
 */
export function formatMarkdown(title: string, files: ProjectFiles): ProjectMarkdown {
  const leftOut: string[] = [];
  const blocks = [`# ${escapeMarkdown(title)}`];
  for (const [path, file] of files) {
    if (path === 'package-lock.json') continue;
    if (file.kind === 'asset') leftOut.push(path);
    else blocks.push(`## ${formatCode(path)}`, formatBlock(path, file.text));
  }
  return { text: `${blocks.join('\n\n')}\n`, leftOut };
}

/** A fenced block. The fence is longer than any run of backticks in the text. */
function formatBlock(path: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, findLongestRun(text) + 1));
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  // Info strings can't have backticks or spaces.
  const language = getExtension(path).replace(/[^\w+-]/g, '');
  return `${fence}${language}\n${text}${end}${fence}`;
}

/** "a`b" → "``a`b``" */
function formatCode(text: string): string {
  const fence = '`'.repeat(findLongestRun(text) + 1);
  // A space keeps a backtick at the edge apart from the fence.
  const space = /^`|`$/.test(text) ? ' ' : '';
  return fence + space + text + space + fence;
}

/** Number of backticks in the longest run of them. */
function findLongestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|]/g, '\\$&');
}
