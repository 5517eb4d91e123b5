import { getExtension } from '@vitrine/project';
import styles from './files-panel.module.css';

const image = { text: '▨', tone: 'var(--syntax-string)' };
const font = { text: 'Aa', tone: 'var(--syntax-type)' };
const audio = { text: '♪', tone: 'var(--syntax-number)' };
const video = { text: '▶', tone: 'var(--syntax-number)' };

const icons: Readonly<Record<string, { text: string; tone: string }>> = {
  html: { text: '<>', tone: 'var(--syntax-tag)' },
  css: { text: '#', tone: 'var(--syntax-function)' },
  pcss: { text: '#', tone: 'var(--syntax-function)' },
  postcss: { text: '#', tone: 'var(--syntax-function)' },
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
  png: image,
  jpg: image,
  jpeg: image,
  gif: image,
  webp: image,
  avif: image,
  ico: image,
  woff: font,
  woff2: font,
  ttf: font,
  otf: font,
  mp3: audio,
  wav: audio,
  ogg: audio,
  mp4: video,
  webm: video,
};

/** One or two characters in the language's color, which are quicker to scan than icons. */
export function FileIcon({ path }: { path: string }) {
  const icon = icons[getExtension(path)] ?? { text: '·', tone: 'var(--text-quiet)' };
  return (
    // Rendered by CSS: text would become part of the row's accessible name.
    <span aria-hidden className={styles.icon} data-mark={icon.text} style={{ color: icon.tone }} />
  );
}
