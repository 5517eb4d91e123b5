import type { LanguageContext } from '../compile-file.ts';
import { isBare } from '../find-module.ts';
import { resolvePath } from '../resolve-path.ts';
import { rewriteCss } from '../rewrite-css.ts';

/** Stylesheets of packages in a stylesheet: "pico/css/pico.css" → the address that the lock gives. */
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
