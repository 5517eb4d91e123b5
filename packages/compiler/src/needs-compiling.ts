/** Which files the compiler makes a difference to, told quickly and without reading them closely. */
import { extension } from '@vitrine/project';
import { importQuery } from './asset-modules.ts';
import type { ModuleContext, ModuleSource } from './compile-module.ts';
import { mayHoldDecorators } from './decorators.ts';
import { findKind, isMarkdownPath, isScriptPath, isStylePath } from './file-kinds.ts';
import { isBare, isPath } from './find-module.ts';
import { mentionsHot } from './hot-module.ts';
import { resolvePath } from './resolve-path.ts';

/** Whether an edit of a file goes by way of the compiler, which may change it or find it wrong. */
export function isCompiled({ path, text }: ModuleSource): boolean {
  switch (findKind(path)) {
    case 'script':
      return true;
    case 'page':
      return isMarkdownPath(path) || /<script/i.test(text);
    case 'style':
      return styleNeedsCompiling({ path, text }) && !isPartial(path);
    default:
      return false;
  }
}

/** Whether compiling can make a difference; quick, and in doubt it says yes. */
export function needsCompiling(
  source: ModuleSource,
  context: Pick<ModuleContext, 'exists' | 'mapped'>,
): boolean {
  switch (findKind(source.path)) {
    case 'script':
      return scriptNeedsCompiling(source, context);
    case 'page':
      return (
        isMarkdownPath(source.path) ||
        (/<script/i.test(source.text) && /\bimport\b/.test(source.text))
      );
    case 'style':
      return styleNeedsCompiling(source);
    default:
      return false;
  }
}

/**
 * Which other files' texts the form of a file may depend on, by path; in doubt it says yes. The
 * server's own thread does this and `needsCompiling`, so their time grows with a text's length and
 * not with its square: what is searched for begins in a part of the text of its own.
 */
export function createReadFilter({ path, text }: ModuleSource): (other: string) => boolean {
  if (isComponent(path)) return componentReadFilter(path, text);
  if (!isStylePath(path)) return () => false;
  const isRead = styleReadFilter(path, text);
  return (other) => other !== path && isRead(other);
}

function styleReadFilter(path: string, text: string): (other: string) => boolean {
  if (extension(path) !== 'css') return /data-uri\(/.test(text) ? () => true : isStylePath;
  if (usesTailwind(text)) return () => true;
  return isCssModule(path) ? isStylePath : () => false;
}

/** Styles import styles, and `<style src>` is one; types of properties may come from scripts. */
function componentReadFilter(path: string, text: string): (other: string) => boolean {
  if (usesTailwind(text)) return () => true;
  const styleTags = text.split(/<style\b/).slice(1);
  const readsStyles =
    text.includes('@import') ||
    styleTags.some((rest) => /\b(?:src|lang|module)\b/.test(rest.split('>', 1).join()));
  const readsScripts = extension(path) === 'vue' && /\bdefine[A-Z]\w+\s*</.test(text);
  return (other) => (isStylePath(other) ? readsStyles : readsScripts && isScriptPath(other));
}

/** Whether a stylesheet's class names are its own: `card.module.css`, `card.module.scss`. */
export function isCssModule(path: string): boolean {
  return /\.module\.\w+$/.test(path) && isStylePath(path);
}

/** Whether a stylesheet is written for Tailwind. */
export function usesTailwind(text: string): boolean {
  return /@(?:import|reference)\s+["']tailwindcss|@(?:tailwind|theme|apply|utility)\b/.test(text);
}

/** Whether a stylesheet is only there for others to read, as Sass has it: `_colors.scss`. */
function isPartial(path: string): boolean {
  return /(?:^|\/)_[^/]*\.s[ac]ss$/.test(path);
}

/** Plain CSS is itself, except where it imports what only a package can have. */
function styleNeedsCompiling({ path, text }: ModuleSource): boolean {
  if (extension(path) !== 'css' || isCssModule(path) || usesTailwind(text)) return true;
  const imports = text.split('@import').slice(1);
  return imports.some((rest) => /^\s+(?:url\(\s*)?["']?[@\w][^"':]*\.css\b/.test(rest));
}

/** Imports that are looked up; each may be looked for in the whole of a large import map. */
const maxLookedUp = 200;

function scriptNeedsCompiling(
  source: ModuleSource,
  context: Pick<ModuleContext, 'exists' | 'mapped'>,
): boolean {
  const { path, text } = source;
  if (isTyped(path) || isComponent(path) || isRunesPath(path)) return true;
  if (looksLikeJsx(text) || mentionsHot(text) || mayHoldDecorators(text)) return true;
  let count = 0;
  const written = source.text.matchAll(/\b(?:from|import)\s*(?:\(\s*)?(["'`])([^"'`\n]+)\1/g);
  for (const [, , specifier = ''] of written) {
    if ((count += 1) > maxLookedUp) return true;
    if (isBare(specifier) && !isMapped(specifier, context)) return true;
    if (!isPath(specifier)) continue;
    const path = resolvePath(source.path, specifier);
    if (path === undefined || !context.exists(path)) return true;
    if (!specifier.includes('?') && importQuery(path) !== undefined) return true;
  }
  return false;
}

/** Whether an import map of a page answers for it. */
export function isMapped(specifier: string, { mapped }: Pick<ModuleContext, 'mapped'>): boolean {
  return mapped.some((key) => (key.endsWith('/') ? specifier.startsWith(key) : specifier === key));
}

/** A component, which is no script before it is compiled. */
function isComponent(path: string): boolean {
  return ['vue', 'svelte'].includes(extension(path));
}

/** A script that is named for the runes of Svelte in it: "counter.svelte.ts" */
export function isRunesPath(path: string): boolean {
  return /[^/]\.svelte\.[jt]s$/.test(path);
}

/** TypeScript, or a script that is named for the JSX in it. */
export function isTyped(path: string): boolean {
  return ['ts', 'mts', 'tsx', 'jsx'].includes(extension(path));
}

/** Markup, or a text that looks like it. */
export function looksLikeJsx(text: string): boolean {
  return /<\/[\w.]*>|\/>/.test(text);
}
