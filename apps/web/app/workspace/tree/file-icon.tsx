import { getExtension } from '@vitrine/project';
import styles from './files-panel.module.css';

const icons: Readonly<Record<string, { text: string; tone: string }>> = {
  html: { text: '<>', tone: 'var(--syntax-tag)' },
  css: { text: '#', tone: 'var(--syntax-function)' },
  scss: { text: '#', tone: 'var(--syntax-tag)' },
  sass: { text: '#', tone: 'var(--syntax-tag)' },
  less: { text: '#', tone: 'var(--syntax-type)' },
  js: { text: 'JS', tone: 'var(--syntax-attribute)' },
  mjs: { text: 'JS', tone: 'var(--syntax-attribute)' },
  jsx: { text: 'JS', tone: 'var(--syntax-attribute)' },
  ts: { text: 'TS', tone: 'var(--syntax-function)' },
  mts: { text: 'TS', tone: 'var(--syntax-function)' },
  tsx: { text: 'TS', tone: 'var(--syntax-function)' },
  vue: { text: 'V', tone: 'var(--syntax-string)' },
  svelte: { text: 'S', tone: 'var(--syntax-tag)' },
  json: { text: '{}', tone: 'var(--syntax-number)' },
  md: { text: 'M', tone: 'var(--syntax-type)' },
  svg: { text: '△', tone: 'var(--syntax-string)' },
};

/** One or two characters in the language's color, which are quicker to scan than icons. */
export function FileIcon({ path }: { path: string }) {
  const icon = icons[getExtension(path)] ?? { text: '·', tone: 'var(--text-quiet)' };
  return (
    // Rendered by CSS: text would become part of the row's accessible name.
    <span aria-hidden className={styles.icon} data-mark={icon.text} style={{ color: icon.tone }} />
  );
}
