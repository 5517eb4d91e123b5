/** Types of libraries without type declarations, limited to the used parts. */

declare module 'less/lib/less/index.js' {
  interface LoadedFile {
    filename: string;
    contents: string;
  }
  interface Less {
    PluginLoader: new () => object;
    render(
      text: string,
      options: object,
      callback: (error: unknown, output: { css: string; map?: string } | undefined) => void,
    ): void;
  }
  /** Creates a compiler. `managers` load imported files. */
  export default function createLess(environment: object, managers: object[]): Less;
}

declare module 'less/lib/less/environment/abstract-file-manager.js' {
  export default class AbstractFileManager {
    tryAppendExtension(path: string, ending: string): string;
  }
}

declare module 'postcss-modules-values' {
  import type { PluginCreator } from 'postcss';
  const plugin: PluginCreator<object>;
  export default plugin;
}

declare module 'postcss-modules-local-by-default' {
  import type { PluginCreator } from 'postcss';
  const plugin: PluginCreator<object>;
  export default plugin;
}

declare module 'postcss-modules-extract-imports' {
  import type { PluginCreator } from 'postcss';
  const plugin: PluginCreator<object>;
  export default plugin;
}

declare module 'postcss-modules-scope' {
  import type { PluginCreator } from 'postcss';
  const plugin: PluginCreator<{ generateScopedName(name: string, path: string): string }>;
  export default plugin;
}

declare module 'icss-utils' {
  import type { Root } from 'postcss';
  interface Icss {
    /** By imported file: local names → exported names. */
    icssImports: Record<string, Record<string, string>>;
    icssExports: Record<string, string>;
  }
  export function extractICSS(root: Root): Icss;
  export function replaceSymbols(root: Root, replacements: Record<string, string>): void;
  export function replaceValueSymbols(value: string, replacements: Record<string, string>): string;
}
