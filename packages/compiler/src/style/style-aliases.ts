import type { LanguageContext } from '../compile-context.ts';
import { isStylePath } from '../file-kinds.ts';

/** The start of `@use "@/a"`, `@import (reference) "~/a"` or `url(@/a.png)`, and the alias. */
const aliased =
  /(@(?:use|forward|import)\s+(?:\([\w\s,]*\)\s*)?["']|url\(\s*["']?)([@~$][^"')\s]*)/g;

/** Whether a stylesheet may name files by aliases. */
export function mayHaveAliases(css: string): boolean {
  return css.search(aliased) !== -1;
}

/** Replaces aliases by paths from the root: `@use "@/a"` → `@use "/src/a"` */
export function replaceAliases(
  css: string,
  { resolveAliasPattern }: Pick<LanguageContext, 'resolveAliasPattern'>,
): string {
  return css.replace(
    aliased,
    (whole, start: string, name: string) => start + (resolveAliasPattern(name) ?? name),
  );
}

/** A context that reads stylesheets without aliases. */
export function withoutAliases(context: LanguageContext): LanguageContext {
  return {
    ...context,
    read(path) {
      const text = context.read(path);
      return text !== undefined && isStylePath(path) ? replaceAliases(text, context) : text;
    },
  };
}
