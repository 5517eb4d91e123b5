import { extension } from '@vitrine/project';
import styles from './files-panel.module.css';

const marks: Readonly<Record<string, { text: string; tone: string }>> = {
  html: { text: '<>', tone: 'var(--syntax-tag)' },
  css: { text: '#', tone: 'var(--syntax-function)' },
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

/** A letter or two in the colour of the language: quicker to find than a picture. */
export function FileIcon({ path }: { path: string }) {
  const mark = marks[extension(path)] ?? { text: '·', tone: 'var(--text-quiet)' };
  return (
    // By CSS: as text it would be part of what a row is called.
    <span aria-hidden className={styles.icon} data-mark={mark.text} style={{ color: mark.tone }} />
  );
}
