/**
 * Styles of components: the module puts them into the page itself, so that they come with it on
 * either path, in a page that was opened alone too, and not at all in a worker.
 */
import { encodePath, resolvePath } from './resolve-path.ts';
import { rewriteCss } from './rewrite-css.ts';

/**
 * Statements that put a component's styles into the page, in the place of those that it had before
 * under the same id; none of them takes these away. Files that the styles name are imported.
 */
export function styleCode(
  path: string,
  id: string,
  css: string,
  exists: (path: string) => boolean,
): string {
  const { text, files } = takeAddresses(path, css, exists);
  const imports = files.map(
    (file, index) => `import __file${index} from ${JSON.stringify(`/${encodePath(file)}?url`)};`,
  );
  return [
    `import __putStyle from ${JSON.stringify(putStyleAddress)};`,
    ...imports,
    `__putStyle(${JSON.stringify(id)}, ${text});`,
  ].join('\n');
}

/** "a { background: url(./b.svg) }" → a string, an import's name, a string; and the file's path. */
function takeAddresses(path: string, css: string, exists: (path: string) => boolean) {
  const files: string[] = [];
  const marked = rewriteCss(css, {
    rewriteUrl(address) {
      const target = resolvePath(path, address);
      if (target === undefined || !exists(target)) return undefined;
      if (!files.includes(target)) files.push(target);
      const fragment = address.includes('#') ? address.slice(address.indexOf('#')) : '';
      return `\0${files.indexOf(target)}\0${fragment}`;
    },
  });
  const text = marked
    .split('\0')
    .map((part, index) => (index % 2 === 0 ? JSON.stringify(part) : `__file${part}`))
    .join(' + ');
  return { text, files };
}

/** One module for all components of a page, at an address that holds it whole. */
const putStyleAddress = `data:text/javascript,${encodeURIComponent(`const styles = new Map();
export default function putStyle(id, css) {
  if (typeof document === 'undefined') return;
  let style = styles.get(id);
  if (css === '') {
    style?.remove();
    styles.delete(id);
    return;
  }
  if (!style) {
    style = document.createElement('style');
    style.dataset.component = id;
    styles.set(id, style);
  }
  if (style.textContent !== css) style.textContent = css;
  if (!style.isConnected) document.head.append(style);
}`)}`;
