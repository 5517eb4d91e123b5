/** Extensions of files whose default export is their URL. */
const assetExtensions =
  'svg png jpg jpeg gif webp avif ico mp3 wav ogg m4a mp4 webm woff woff2 ttf otf txt pdf wasm'.split(
    ' ',
  );

/**
 * Ambient declarations of what modules can import besides packages and scripts: assets, styles, `?raw`
 * and `?url`. Declares `import.meta.hot`, `env` and `glob`, too (docs/languages.md).
 */
export const ambientDeclarations = `
declare module '*?raw' { const text: string; export default text; }
declare module '*?url' { const url: string; export default url; }
declare module '*?no-inline' { const url: string; export default url; }
declare module '*?inline' { const text: string; export default text; }
declare module '*?init' {
  const init: (imports?: WebAssembly.Imports) => Promise<WebAssembly.Instance>;
  export default init;
}
${['*?worker', '*?worker&inline'].map((name) => declareWorker(name, 'Worker')).join('\n')}
${['*?sharedworker', '*?sharedworker&inline'].map((name) => declareWorker(name, 'SharedWorker')).join('\n')}
declare module '*?worker&url' { const url: string; export default url; }
declare module '*.module.css';
declare module '*.module.scss';
declare module '*.module.sass';
declare module '*.module.less';
declare module '*.css';
declare module '*.pcss';
declare module '*.postcss';
declare module '*.scss';
declare module '*.sass';
declare module '*.less';
declare module '*.vue';
declare module '*.svelte';
declare module '*.md' { const html: string; export default html; }
${assetExtensions.map((extension) => `declare module '*.${extension}' { const url: string; export default url; }`).join('\n')}

/** As in Vite, whose types let code use any variable as it likes. */
interface ImportMetaEnv {
  readonly [name: string]: any;
  readonly BASE_URL: string;
  readonly MODE: string;
  readonly DEV: boolean;
  readonly PROD: boolean;
  readonly SSR: boolean;
}

interface ImportMeta {
  /** Variables of the project's .env files whose names start with VITE_. */
  readonly env: ImportMetaEnv;
  /** Imports all files that match, by path; with \`eager\` their modules, without it functions. */
  glob<Module = any>(
    patterns: string | readonly string[],
    options: GlobOptions & { eager: true },
  ): Record<string, Module>;
  glob<Module = any>(
    patterns: string | readonly string[],
    options?: GlobOptions & { eager?: false },
  ): Record<string, () => Promise<Module>>;
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

interface GlobOptions {
  import?: string;
  query?: string | Record<string, string | number | boolean>;
  exhaustive?: boolean;
  base?: string;
}
`;

/** Added for projects of create-react-app, whose build replaces these variables. */
export const createReactAppDeclarations = `
declare var process: {
  readonly env: { readonly [name: string]: string | undefined; readonly NODE_ENV: string };
};
`;

function declareWorker(pattern: string, type: string): string {
  return `declare module '${pattern}' {
  const constructor: { new (options?: { name?: string }): ${type} };
  export default constructor;
}`;
}
