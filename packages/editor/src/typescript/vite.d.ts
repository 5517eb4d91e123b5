/** Vite's glob imports: https://vite.dev/guide/features#glob-import */
interface ImportMeta {
  glob<T>(
    pattern: string,
    options: { query: '?code' | '?comments'; import: 'default'; eager: true },
  ): Readonly<Record<string, T>>;
}
