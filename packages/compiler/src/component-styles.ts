/**
 * Styles of components: the module puts them into the page itself, so that they come with it on
 * either path, in a page that was opened alone too, and not at all in a worker.
 */
import { encodePath, resolvePath } from './resolve-path.ts';
import { fragmentOf, rewriteCss } from './rewrite-css.ts';

/**
 * Statements that put a component's styles into the page, in the place of those that it had under
 * the same id before; without styles they take these away, as it does when nobody imports the
 * component any more. Files that the styles name are imported.
 */
export function styleCode(
  path: string,
  id: string,
  css: string,
  exists: (path: string) => boolean,
): string {
  const known = `document.querySelector('style[data-component="${id}"]')`;
  if (css.trim() === '') return `if (import.meta.hot) ${known}?.remove();`;
  const { text, files } = takeAddresses(path, css, exists);
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

/** "a { background: url(./b.svg) }" → a string, an import's name, a string; and the file's path. */
function takeAddresses(path: string, css: string, exists: (path: string) => boolean) {
  const files: string[] = [];
  const marked = rewriteCss(css, {
    rewriteUrl(address) {
      const target = resolvePath(path, address);
      if (target === undefined || !exists(target)) return undefined;
      if (!files.includes(target)) files.push(target);
      return `\0${files.indexOf(target)}\0${fragmentOf(address)}`;
    },
  });
  const text = marked
    .split('\0')
    .map((part, index) => (index % 2 === 0 ? JSON.stringify(part) : `__file${part}`))
    .join(' + ');
  return { text, files };
}
