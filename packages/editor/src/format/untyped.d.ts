declare module 'prettier-plugin-svelte/browser' {
  import type { Plugin } from 'prettier';
  export const { languages, options, parsers, printers }: Required<Plugin>;
}
