import type { LanguageContext } from '../compile-file.ts';
import { isBare } from '../find-module.ts';
import { resolvePath } from '../resolve-path.ts';
import { rewriteCss } from '../rewrite-css.ts';

/** Resolves imported stylesheets of packages: "pico/css/pico.css" → the URL from the lockfile. */
export function linkPackages(
  path: string,
  css: string,
  { exists, resolvePackage }: Pick<LanguageContext, 'exists' | 'resolvePackage'>,
): string {
  if (!css.includes('@import')) return css;
  return rewriteCss(css, {
    rewriteImport({ address, conditions }) {
      if (!address.endsWith('.css') || !isBare(address) || exists(resolvePath(path, address) ?? ''))
        return undefined;
      const found = resolvePackage(address, []);
      return found && `@import url("${found}?css")${conditions && ` ${conditions}`};`;
    },
  });
}
