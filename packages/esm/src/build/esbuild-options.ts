/** esbuild options that all bundling of packages shares. */
import type { BuildOptions } from 'esbuild';
import type { PackageMode } from '../lockfile/resolution-hash.ts';

export function commonOptions(mode: PackageMode) {
  return {
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: '/',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    supported: { 'top-level-await': true },
    charset: 'utf8',
    outdir: '/',
    entryNames: '[dir]/[name]',
    chunkNames: '~[hash]',
    publicPath: 'vitrine-base:/-chunk',
    sourcemap: 'linked',
    jsx: 'automatic',
    tsconfigRaw: {},
    logLevel: 'silent',
    minifySyntax: mode === 'production',
    minifyIdentifiers: mode === 'production',
    define: {
      'process.env.NODE_ENV': JSON.stringify(mode),
      'process.env': JSON.stringify({ NODE_ENV: mode }),
      'process.browser': 'true',
      global: 'globalThis',
      // Vue's own browser builds set these flags; without them Vue logs a warning on every page.
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      __dirname: '"/"',
      __filename: '"/index.js"',
    },
  } satisfies BuildOptions;
}
