import { getExtension } from '@vitrine/project';
import { basename } from '../tree/file-paths.ts';

interface ReferenceTarget {
  /** File that refers to the asset, and its text. */
  readonly path: string;
  readonly text: string;
  /** Offset in the text where the reference is inserted. */
  readonly offset: number;
}

interface ReferencedAsset {
  readonly path: string;
  readonly mediaType: string;
}

/**
 * Creates the text that shows an asset at a place in a file: `![image](image.png)` in Markdown, an
 * element in HTML and JSX, `url("…")` in CSS; only the URL inside of an attribute or `url()`. Undefined
 * if there is no way to refer to it there.
 */
export function createReference(
  target: ReferenceTarget,
  asset: ReferencedAsset,
): string | undefined {
  const extension = getExtension(target.path);
  const before = target.text.slice(0, target.offset);
  const url = encodePath(relativePath(target.path, asset.path));
  if (/^(?:md|markdown)$/.test(extension)) return createMarkdown(url, asset);
  if (/^(?:p?css|postcss|scss|less|sass)$/.test(extension)) return createStyleUrl(url, before);
  // JSX refers to files relative to the page, which is in the root.
  if (/^[jt]sx$/.test(extension))
    return createElement(encodePath(asset.path), asset, ' />', before);
  if (!/^html?$/.test(extension)) return undefined;
  if (isInside('style', before)) return createStyleUrl(url, before);
  return isInside('script', before) ? undefined : createElement(url, asset, '>', before);
}

function createMarkdown(url: string, { path, mediaType }: ReferencedAsset): string {
  const name = basename(path)
    .replace(/\.[^.]*$/, '')
    .replace(/[[\]\\]/g, '\\$&');
  return `${mediaType.startsWith('image/') ? '!' : ''}[${name}](${url})`;
}

function createStyleUrl(url: string, before: string): string {
  return /url\(\s*["']?$/i.test(before) ? url : `url("${url}")`;
}

/** @param end End of an element without content. */
function createElement(
  url: string,
  { path, mediaType }: ReferencedAsset,
  end: string,
  before: string,
): string | undefined {
  if (/\s(?:src|href|poster|data)\s*=\s*["']$/i.test(before)) return url;
  const [kind] = mediaType.split('/');
  if (kind === 'image') return `<img src="${url}" alt=""${end}`;
  if (kind === 'audio' || kind === 'video') return `<${kind} src="${url}" controls></${kind}>`;
  return kind === 'font' ? undefined : `<a href="${url}">${basename(path)}</a>`;
}

/** Whether a text ends inside of an element with this name. */
function isInside(name: 'script' | 'style', before: string): boolean {
  const lower = before.toLowerCase();
  return lower.lastIndexOf(`<${name}`) > lower.lastIndexOf(`</${name}`);
}

/** ("docs/a.md", "docs/img/b.png") → "img/b.png" */
function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const names = to.split('/');
  let shared = 0;
  while (shared < names.length - 1 && shared < folders.length && folders[shared] === names[shared])
    shared += 1;
  return '../'.repeat(folders.length - shared) + names.slice(shared).join('/');
}

/** "my image (2).png" → "my%20image%20%282%29.png": valid in quotes, Markdown and `url()`. */
function encodePath(path: string): string {
  return path.replace(/[\s%?#"'()<>\\:&[\]*`]/g, (sign) => {
    const encoded = encodeURIComponent(sign);
    return encoded === sign ? `%${sign.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
  });
}
