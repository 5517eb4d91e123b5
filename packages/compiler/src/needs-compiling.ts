/** Fast checks of whether a file needs the compiler, without parsing it. */
import { getExtension } from '@vitrine/project';
import { getImportQuery } from './asset-modules.ts';
import { mayHaveDecorators } from './script/decorators.ts';
import {
  findFileKind,
  isCssPath,
  isMarkdownPath,
  isScriptPath,
  isStylePath,
} from './file-kinds.ts';
import { isPackageSpecifier, isPathSpecifier } from './find-module.ts';
import { mayLoadBuiltFiles } from './page/built-files.ts';
import { isTemplatePage } from './page/create-react-app.ts';
import { refersToEnvironment, usesEnvironment } from './script/environment.ts';
import { usesGlobImports } from './script/glob-imports.ts';
import { usesHmrApi } from './script/hmr-module.ts';
import { resolvePath } from './resolve-path.ts';
import { mayHaveAliases } from './style/style-aliases.ts';
import type { ModuleContext, ModuleSource } from './compile-context.ts';

/** Whether an edited file is passed to the compiler, which may change it or report errors. */
export function usesCompiler({ path, text }: ModuleSource): boolean {
  switch (findFileKind(path)) {
    case 'script':
      return true;
    case 'page':
      return (
        isMarkdownPath(path) ||
        isTemplatePage(path) ||
        refersToEnvironment(text) ||
        /<script|node_modules\//i.test(text)
      );
    case 'style':
      return styleNeedsCompiling({ path, text }) && !isPartial(path);
    default:
      return false;
  }
}

/** Whether compilation may change a file. Fast; returns true if unsure. */
export function needsCompiling(
  source: ModuleSource,
  context: Pick<ModuleContext, 'exists' | 'mapped' | 'bundles'>,
): boolean {
  switch (findFileKind(source.path)) {
    case 'script':
      return scriptNeedsCompiling(source, context);
    case 'page':
      return (
        isMarkdownPath(source.path) ||
        isTemplatePage(source.path) ||
        refersToEnvironment(source.text) ||
        mayLoadBuiltFiles(source.text, context) ||
        (/<script/i.test(source.text) && /\b(?:import|process\.env)\b/.test(source.text))
      );
    case 'style':
      return styleNeedsCompiling(source);
    default:
      return false;
  }
}

/**
 * Creates a filter for the paths of other files that the output of a file may depend on; true if
 * unsure. This and `needsCompiling` run in the server's main thread, so their time has to be linear
 * in the length of the text: patterns are only searched in separate parts of it.
 */
export function createReadFilter({ path, text }: ModuleSource): (other: string) => boolean {
  if (isComponent(path)) return componentReadFilter(path, text);
  if (!isStylePath(path)) return () => false;
  const isRead = styleReadFilter(path, text);
  return (other) => other !== path && isRead(other);
}

function styleReadFilter(path: string, text: string): (other: string) => boolean {
  if (!isCssPath(path)) return /data-uri\(/.test(text) ? () => true : isStylePath;
  if (usesTailwind(text)) return () => true;
  return isCssModule(path) ? isStylePath : () => false;
}

/** Styles may import styles, also by `<style src>`; types of props may come from scripts. */
function componentReadFilter(path: string, text: string): (other: string) => boolean {
  if (usesTailwind(text)) return () => true;
  const styleTags = text.split(/<style\b/).slice(1);
  const readsStyles =
    text.includes('@import') ||
    styleTags.some((rest) => /\b(?:src|lang|module)\b/.test(rest.split('>', 1).join()));
  const readsScripts = getExtension(path) === 'vue' && /\bdefine[A-Z]\w+\s*</.test(text);
  return (other) => (isStylePath(other) ? readsStyles : readsScripts && isScriptPath(other));
}

/** Whether a stylesheet is a CSS module: `card.module.css`, `card.module.scss`. */
export function isCssModule(path: string): boolean {
  return /\.module\.\w+$/.test(path) && isStylePath(path);
}

/** Whether a stylesheet uses Tailwind. */
export function usesTailwind(text: string): boolean {
  return /@(?:import|reference)\s+["']tailwindcss|@(?:tailwind|theme|apply|utility)\b/.test(text);
}

/** Whether a stylesheet is a Sass partial, which only others import: `_colors.scss`. */
function isPartial(path: string): boolean {
  return /(?:^|\/)_[^/]*\.s[ac]ss$/.test(path);
}

/** Plain CSS needs no compilation, unless it imports a stylesheet of a package. */
function styleNeedsCompiling({ path, text }: ModuleSource): boolean {
  if (!isCssPath(path) || isCssModule(path) || usesTailwind(text)) return true;
  if (mayHaveAliases(text)) return true;
  const imports = text.split('@import').slice(1);
  return imports.some((rest) =>
    /^\s+(?:url\(\s*)?["']?(?:[@\w]|[./]*node_modules\/)[^"':]*\.css\b/.test(rest),
  );
}

/** Maximum number of imports checked; each lookup may scan a large import map. */
const maxLookedUp = 200;

function scriptNeedsCompiling(
  source: ModuleSource,
  context: Pick<ModuleContext, 'exists' | 'mapped'>,
): boolean {
  const { path, text } = source;
  if (isTypeScriptOrJsx(path) || isComponent(path) || isRunesPath(path)) return true;
  if (looksLikeJsx(text) || usesHmrApi(text) || mayHaveDecorators(text)) return true;
  if (usesEnvironment(text) || usesGlobImports(text)) return true;
  let count = 0;
  const written = source.text.matchAll(/\b(?:from|import)\s*(?:\(\s*)?(["'`])([^"'`\n]+)\1/g);
  for (const [, , specifier = ''] of written) {
    if ((count += 1) > maxLookedUp) return true;
    const isBare = isPackageSpecifier(specifier) || specifier.startsWith('#');
    if (isBare && !isInImportMap(specifier, context)) return true;
    if (!isPathSpecifier(specifier)) continue;
    const path = resolvePath(source.path, specifier);
    if (path === undefined || !context.exists(path)) return true;
    if (!specifier.includes('?') && getImportQuery(path) !== undefined) return true;
    if (specifier.includes('&')) return true;
  }
  return false;
}

/** Whether an import map of a page contains a specifier. */
export function isInImportMap(
  specifier: string,
  { mapped }: Pick<ModuleContext, 'mapped'>,
): boolean {
  return mapped.some((key) => (key.endsWith('/') ? specifier.startsWith(key) : specifier === key));
}

/** Whether a file is a single-file component. */
function isComponent(path: string): boolean {
  return ['vue', 'svelte'].includes(getExtension(path));
}

/** Whether a script may use Svelte runes, by its name: "counter.svelte.ts" */
export function isRunesPath(path: string): boolean {
  return /[^/]\.svelte\.[jt]s$/.test(path);
}

/** Whether a file is TypeScript or JSX, by its extension. */
export function isTypeScriptOrJsx(path: string): boolean {
  return ['ts', 'mts', 'tsx', 'jsx'].includes(getExtension(path));
}

/** Whether a text contains something that looks like JSX. */
export function looksLikeJsx(text: string): boolean {
  return /<\/[\w.]*>|\/>/.test(text);
}
