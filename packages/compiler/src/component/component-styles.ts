/**
 * Styles of single-file components. The component's module adds them to the page itself, so that it
 * works with both transports and in a page opened in its own tab, and does nothing in a worker.
 */
import { findServedFile } from '@vitrine/project';
import { encodePath, resolvePath } from '../resolve-path.ts';
import { getUrlFragment, rewriteCss } from '../rewrite-css.ts';

/**
 * Creates statements that add a component's styles to the page and replace earlier ones with the same
 * id. Without styles, and when the component is no longer imported, earlier ones are removed. Files
 * that the styles refer to are imported.
 */
export function createStyleCode(
  path: string,
  id: string,
  css: string,
  exists: (path: string) => boolean,
): string {
  const known = `document.querySelector('style[data-component="${id}"]')`;
  if (css.trim() === '') return `if (import.meta.hot) ${known}?.remove();`;
  const { text, files } = extractUrls(path, css, exists);
  const imports = files.map(
    (file, index) => `import __file${index} from ${JSON.stringify(`/${encodePath(file)}?url`)};\n`,
  );
  return `${imports.join('')}if (typeof document !== 'undefined') {
  const style = ${known} ?? document.createElement('style');
  style.dataset.component = '${id}';
  style.textContent = ${text};
  if (!style.isConnected) document.head.append(style);
  import.meta.hot?.prune(() => style.remove());
}`;
}

/** "a { background: url(./b.svg) }" → a string, the name of an import, a string; and the file's path. */
function extractUrls(path: string, css: string, exists: (path: string) => boolean) {
  const files: string[] = [];
  const marked = rewriteCss(css, {
    rewriteUrl(url) {
      const resolved = resolvePath(path, url);
      const target = resolved === undefined ? undefined : findServedFile(resolved, exists);
      if (target === undefined) return undefined;
      if (!files.includes(target)) files.push(target);
      return `\0${files.indexOf(target)}\0${getUrlFragment(url)}`;
    },
  });
  const text = marked
    .split('\0')
    .map((part, index) => (index % 2 === 0 ? JSON.stringify(part) : `__file${part}`))
    .join(' + ');
  return { text, files };
}
