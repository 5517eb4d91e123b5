/** Extensions of files whose default export is their URL. */
const assetExtensions =
  'svg png jpg jpeg gif webp avif ico mp3 wav ogg m4a mp4 webm woff woff2 ttf otf txt pdf wasm'.split(
    ' ',
  );

/**
 * Ambient declarations of what modules can import besides packages and scripts: assets, styles, `?raw`
 * and `?url`. Declares `import.meta.hot`, too (docs/languages.md).
 */
export const ambientDeclarations = `
declare module '*?raw' { const text: string; export default text; }
declare module '*?url' { const url: string; export default url; }
declare module '*.module.css';
declare module '*.module.scss';
declare module '*.module.sass';
declare module '*.module.less';
declare module '*.css';
declare module '*.scss';
declare module '*.sass';
declare module '*.less';
declare module '*.vue';
declare module '*.svelte';
declare module '*.md' { const html: string; export default html; }
${assetExtensions.map((extension) => `declare module '*.${extension}' { const url: string; export default url; }`).join('\n')}

interface ImportMeta {
  /** Hot module replacement API. Undefined where the project runs without hot updates. */
  readonly hot?: {
    /** Data passed from one instance of the module to the next. */
    readonly data: any;
    accept(callback?: (module: any) => void): void;
    accept(dependency: string, callback: (module: any) => void): void;
    accept(dependencies: readonly string[], callback: (modules: any[]) => void): void;
    dispose(callback: (data: any) => void): void;
    prune(callback: (data: any) => void): void;
    invalidate(message?: string): void;
    on(event: string, listener: (payload: any) => void): void;
    off(event: string, listener: (payload: any) => void): void;
  };
}
`;
