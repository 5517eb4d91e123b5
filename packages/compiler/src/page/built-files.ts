/**
 * Files that pages load and that only a build or `npm install` would put there: bundles, and files in
 * `node_modules`. Replaces the URL in the tag with that of the source
 * module or the package.
 */
import { findServedFile, publicFolder } from '@vitrine/project';
import { parsePackageName } from '@vitrine/esm/lockfile';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { findModule, findNodeModulesSpecifier } from '../find-module.ts';
import { getElementAttribute } from './inline-attributes.ts';
import { encodePath, resolvePath } from '../resolve-path.ts';
import type { Edit } from '../rewrite-module.ts';
import type { ModuleContext } from '../compile-context.ts';

type BuiltFilesContext = Pick<ModuleContext, 'exists' | 'bundles' | 'resolvePackage'>;

/** Fast check: false if the page can't reference a bundle or a file in node_modules. */
export function mayLoadBuiltFiles(
  text: string,
  { bundles }: Pick<ModuleContext, 'bundles'>,
): boolean {
  return (
    text.includes('node_modules/') ||
    bundles.some(({ file }) => text.includes(file.slice(file.lastIndexOf('/') + 1)))
  );
}

export interface BuiltFile {
  edits: readonly Edit[];
  /** Path of the module that runs instead. */
  entry?: string;
  /** A package that isn't installed. `at` is the index of the attribute. */
  missing?: { packageName: string; specifier: string; at: number };
}

/**
 * Finds what a `<script src>` or `<link rel="stylesheet">` loads instead of a file that the project
 * doesn't have. Undefined for all other elements.
 *
 * @param base Path that the element's URL is relative to.
 */
export function findBuiltFile(
  element: DefaultTreeAdapterTypes.Element,
  base: string,
  context: BuiltFilesContext,
): BuiltFile | undefined {
  const name = element.tagName === 'script' ? 'src' : 'href';
  const url = getElementAttribute(element, name) ?? '';
  const location = element.sourceCodeLocation?.attrs?.[name];
  const path = resolvePath(base, url);
  if (!location || path === undefined || findServedFile(path, context.exists) !== undefined)
    return undefined;
  const { startOffset: start, endOffset: end } = location;
  const replace = (text: string): Edit[] => [{ start, end, text }];
  const isModule = getElementAttribute(element, 'type')?.trim().toLowerCase() === 'module';
  const specifier = findNodeModulesSpecifier(base, url);
  if (specifier !== undefined) {
    const packageName = parsePackageName(specifier) ?? specifier;
    const root = context.resolvePackage(packageName, []);
    if (root === undefined) return { edits: [], missing: { packageName, specifier, at: start } };
    const file = `${root}/-${specifier.slice(packageName.length)}`;
    const found = isModule ? (context.resolvePackage(specifier, []) ?? file) : file;
    return { edits: replace(`${name}="${found}"`) };
  }
  const isSame = (built: string) => built === path || built === publicFolder + path;
  if (name === 'href')
    // The modules of the bundle add its styles themselves.
    return context.bundles.some(({ styles }) => styles.some(isSame))
      ? { edits: replace('') }
      : undefined;
  const bundle = context.bundles.find(({ file }) => isSame(file));
  const entry = bundle && findModule('index.html', `./${encodePath(bundle.entry)}`, context.exists);
  if (entry === undefined) return undefined;
  const type = element.sourceCodeLocation?.attrs?.['type'];
  const source = `src="/${encodePath(entry)}"`;
  const edits = isModule
    ? replace(source)
    : [
        ...(type ? [{ start: type.startOffset, end: type.endOffset, text: '' }] : []),
        ...replace(`type="module" ${source}`),
      ];
  return { edits, entry };
}
